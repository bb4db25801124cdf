/** The sections of the configuration: objects of known keys, and records of names. */
import * as z from 'zod';
import { didYouMean } from '../../text/did-you-mean.ts';
import { namePattern, nameRule } from './names.ts';

/** An object of settings. The doc comment of a key is that of the setting: TypeScript carries it on to `z.input` and `z.output`. */
export interface Section<Shape extends z.ZodRawShape> extends z.ZodType<
  Readonly<z.output<z.ZodObject<Shape, z.core.$strict>>>,
  Readonly<z.input<z.ZodObject<Shape, z.core.$strict>>>
> {
  readonly shape: Shape;
}

/**
 * An object that takes these keys and no others. The issue of another key says what may be meant, that of anything else what is wanted.
 * @param example - a value as people would write it
 * @param elsewhere - keys that people look for here, and the sentence that names their place
 */
export function section<Shape extends z.ZodRawShape>(
  shape: Shape,
  example?: string,
  elsewhere: Readonly<Record<string, string>> = {},
): Section<Shape> {
  const known = Object.keys(shape);
  const unknown = (key: string) => {
    const meant = Object.hasOwn(elsewhere, key) ? `: ${elsewhere[key]}` : didYouMean(key, known);
    return `is not a key here${meant} (known: ${known.join(', ')})`;
  };
  const error = ({ path = [] }: { readonly path?: readonly PropertyKey[] }) => unknown(String(path.at(-1)));
  const schema: z.ZodType = z
    .object(shape, { error: wanted(`an object with ${keysWanted(shape)}`, example) })
    .catchall(z.unknown().refine(() => false, { error, abort: true }));
  return schema as Section<Shape>;
}

const mayBeLeftOut = [z.ZodOptional, z.ZodDefault, z.ZodPrefault];

/** The keys that must be there, or those of which any may be there. */
function keysWanted(shape: z.ZodRawShape): string {
  const needed = Object.keys(shape).filter((key) => !mayBeLeftOut.some((kind) => shape[key] instanceof kind));
  const isAny = needed.length === 0;
  const names = (isAny ? Object.keys(shape) : needed).map((key) => `"${key}"`);
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} ${isAny ? 'or' : 'and'} ${last}`;
}

/** What is wanted and an example, on a line each: the sentence puts both around what is there. */
export function wanted(what: string, example: string | undefined): string {
  return example === undefined ? what : `${what}\n${example}`;
}

function badNames(all: unknown): readonly string[] {
  return typeof all === 'object' && all !== null ? Object.keys(all).filter((name) => !namePattern.test(name)) : [];
}

/**
 * A record whose keys are names.
 * @param example - a record as people would write it
 */
export function named<Value extends z.ZodType>(what: string, value: Value, example: string) {
  const error = ({ code }: { readonly code?: string | undefined }) =>
    code === 'invalid_type' ? wanted(`an object with each ${what} under its name`, example) : undefined;
  // Not as the schema of the keys: what stands under a bad name would not be looked at.
  return z.record(z.string(), value, { error }).refine((all) => badNames(all).length === 0, {
    error: ({ input }) =>
      badNames(input)
        .map((name) => `"${name}" cannot name a ${what}: a name is ${nameRule}.`)
        .join(' '),
    when: () => true,
  });
}
