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

/**
 * Refuses an answer about another resource than the one that was asked for: a proxy's cache or a fault of the gateway.
 * @param about - the field for the message, and the ids and names by which the answer calls the resource
 */
export function schemaOfAsked<T>(
  schema: Schema<T>,
  asked: string,
  about: { readonly field: string; readonly namesOf: (value: T) => readonly unknown[] },
): Schema<T> {
  return {
    parse(input, bytes) {
      const parsed = schema.parse(input, bytes);
      if (!('value' in parsed) || about.namesOf(parsed.value).some((name) => isSameText(name, asked))) return parsed;
      return { problems: [`${about.field} is not the one that was asked for`] };
    },
  };
}

/** Uuids may come back in capitals. */
function isSameText(name: unknown, asked: string): boolean {
  return typeof name === 'string' && name.toLowerCase() === asked.toLowerCase();
}
