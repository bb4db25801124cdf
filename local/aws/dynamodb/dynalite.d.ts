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
