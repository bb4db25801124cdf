/**
 * Reads the fields of a body or a query, and refuses them as the vendor's framework does: one 422
 * whose `detail` names each field. Types are strict: a text is no boolean.
 */
import * as z from 'zod';

/** One complaint of a 422. */
interface Detail {
  readonly loc: readonly PropertyKey[];
  readonly msg: string;
  readonly type: string;
}

/** An answer in place of the one that was asked for. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly detail: string | readonly Detail[];

  constructor(status: number, detail: string | readonly Detail[]) {
    super(`${status} ${JSON.stringify(detail)}`);
    this.status = status;
    this.detail = detail;
  }
}

/** A 422 about one place. */
export function invalid(loc: Detail['loc'], msg: string, type = 'value_error'): Refusal {
  return new Refusal(422, [{ loc, msg, type }]);
}

/** Reads an object's fields, or throws one 422 with every complaint; a field that the page does not have is one. */
export function readFields<Shape extends z.ZodRawShape>(
  source: Readonly<Record<string, unknown>>,
  shape: Shape,
  place: 'body' | 'query' = 'body',
): z.output<z.ZodObject<Shape>> {
  const read = z.strictObject(shape).safeParse(source);
  if (read.success) return read.data;
  const detail = read.error.issues.flatMap((issue) => {
    const names = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [key]) : [issue.path];
    return names.map((path) => ({ loc: [place, ...path], msg: issue.message, type: issue.code }));
  });
  throw new Refusal(422, detail);
}

export const uuid = z.guid().transform((id) => id.toLowerCase());

// RFC 3339 has an offset always.
const timeForm = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** A time of RFC 3339. */
export const time = z
  .string()
  .regex(timeForm, 'Input should be a valid datetime of RFC 3339')
  .transform((value) => new Date(value))
  .refine((date) => !Number.isNaN(date.getTime()), {
    abort: true,
    message: 'Input should be a valid datetime of RFC 3339',
  });

/** A time after `now`. */
export function timeAfter(now: Date) {
  return time.refine((date) => date > now, 'Input should be in the future');
}

/** A text of 1 to 100 characters. */
export const name = z.string().refine((value) => {
  const { length } = Array.from(value);
  return length >= 1 && length <= 100;
}, 'String should have 1 to 100 characters');
