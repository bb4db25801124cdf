import type * as z from 'zod';

/** What a check of a body gives. */
export type Parsed<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** Checks a body and says what it is. */
export interface Schema<T> {
  /** @param bytes - the body as it came */
  parse(input: unknown, bytes: Buffer): Parsed<T>;
}

const maxProblems = 5;

/**
 * Makes a schema of a zod type. Its problems name fields and rules, never values.
 * @param isSurely - a quick check for bodies that come by the thousand: it says yes only where the type says yes and drops nothing
 */
export function schemaOf<T>(type: z.ZodType<T>, isSurely?: (input: unknown) => input is T): Schema<T> {
  return {
    parse(input) {
      if (isSurely?.(input) === true) return { value: input };
      const result = type.safeParse(input);
      if (result.success) return { value: result.data };
      const issues = result.error.issues.slice(0, maxProblems);
      return { problems: issues.map((issue) => `${issue.path.join('.') || 'the body'} is of the wrong type`) };
    },
  };
}
