/**
 * What a fault is: which requests it strikes, how often, what it does to them, and whether their
 * effect happens.
 */
import * as z from 'zod';
import { type OperationName, operationNames } from '../model/resources.ts';

const longestDelayMs = 600_000;
const text = z.string().min(1);
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/u);
const headerValue = z.string().regex(/^[\t\u0020-\u007E]*$/u);

const match = z.strictObject({
  method: text.toUpperCase().optional(),
  /** A path prefix (begins with a slash) or the name of an operation. */
  path: text
    .refine(
      (path) => path.startsWith('/') || operationNames.includes(path as OperationName),
      `must begin with / or be one of: ${operationNames.join(', ')}`,
    )
    .optional(),
});

/**
 * The one thing that a fault does to the answer; a delay may go with any of them, or stand alone.
 */
const actions = {
  status: z.int().min(200).max(599),
  reset: z.literal(true),
  fin: z.literal(true),
  hang: z.literal(true),
  garbage: z.literal(true),
  redirect: z.url(),
  truncateBody: z.strictObject({ bytes: z.int().min(0), end: z.enum(['fin', 'reset']).default('fin') }),
};

const actionNames = Object.keys(actions) as readonly (keyof typeof actions)[];

const shape = z
  .strictObject({
    match: match.default({}),
    times: z.union([z.int().min(1), z.literal('forever')]).default(1),
    skip: z.int().min(0).default(0),
    /** Whether the effect happens; a delay alone delays it as well, if this says nothing. */
    apply: z.enum(['before', 'never']).optional(),
    delayMs: z.int().min(0).max(longestDelayMs).optional(),
    headers: z.record(headerName, headerValue).optional(),
    body: z.json().optional(),
  })
  .extend(z.object(actions).partial().shape);

/** The body of `POST /_control/faults`. */
export const faultSchema = shape.superRefine((fault, context) => {
  const complain = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  const [first, second] = actionNames.filter((name) => fault[name] !== undefined);
  if (first === undefined && fault.delayMs === undefined)
    complain('status', `one of ${actionNames.join(', ')} or delayMs is required`);
  if (second !== undefined) complain(second, `a fault does one thing: ${first} and ${second} are two`);
  if (fault.apply === 'never' && (first === undefined || first === 'truncateBody'))
    complain('apply', 'a delay alone and truncateBody send the real answer, so there is an effect');
  if ((fault.headers ?? fault.body) !== undefined && first !== 'status')
    complain('status', 'headers and body need a status');
});

/** A fault as it was asked for, defaults filled in. */
export type FaultRequest = z.infer<typeof faultSchema>;

/** True if the fault does nothing but delay. */
export function isDelayAlone(fault: FaultRequest): boolean {
  return actionNames.every((name) => fault[name] === undefined);
}
