/**
 * Types for the three files of undici that the client loads. The package's entry loads fetch,
 * caches, mocks and proxies as well (523 KB and 99 ms of a cold start, performance.md). Since
 * undici declares no `exports`, its parts can be named. The version is pinned exactly, and the
 * integration tests run through these very files: an upgrade that moves them fails to start.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export = Pool;
}

declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici';
  export = Client;
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici';
  export = buildConnector;
}
