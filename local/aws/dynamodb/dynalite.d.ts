/** dynalite ships no types: the part of it that is used here. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface DynaliteOptions {
    /** Folder of its LevelDB; in memory without it. */
    path?: string | undefined;
    createTableMs?: number;
    updateTableMs?: number;
    deleteTableMs?: number;
  }

  function dynalite(options?: DynaliteOptions): Server;
  export = dynalite;
}
