/** dynalite ships no types: the parts of it that are used here. */
declare module 'dynalite/db/index.js' {
  import type { LevelDb } from '#local/aws/dynamodb/dynalite-store.ts';

  const db: {
    /** Bytes of an item as DynamoDB counts them. */
    itemSize(item: object): number;
    create(options: {
      /** Folder of its LevelDB; in memory without it. */
      readonly path?: string | undefined;
      readonly createTableMs: number;
    }): { readonly db: LevelDb };
  };
  export = db;
}

declare module 'dynalite/validations/index.js' {
  const validations: {
    checkTypes(input: object, types: object): object;
    /** Throws what DynamoDB does not take. */
    checkValidations(input: object, types: object, custom: unknown, store: object): void;
  };
  export = validations;
}

declare module 'dynalite/validations/*' {
  const validation: { readonly types: object; readonly custom?: unknown };
  export = validation;
}

declare module 'dynalite/actions/*' {
  import type { JsonObject } from '#local/template/cloud-assembly.ts';

  function action(
    store: object,
    input: object,
    done: (error: Error | null | undefined, answer?: JsonObject) => void,
  ): void;
  export = action;
}
