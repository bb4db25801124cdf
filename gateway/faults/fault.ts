/**
 * What a fault is: which requests it strikes, how often, what it does to them, and whether their
 * effect happens.
 */
import * as z from 'zod';
import { type OperationName, operationNames } from '../model/resources.ts';
const longestDelayMs = 600_000;
const largestAnswer = 256 * 1024 * 1024; // four times what any client of ours may read; a string holds 512 MiB at most
const text = z.string().min(1);
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/u);
const headerValue = z.string().regex(/^[\t\u0020-\u007E]*$/u);
const positive = z.int().min(1);

const match = z.strictObject({
  method: text.transform((method) => method.toUpperCase()).optional(),
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
  garbage: z.union([z.literal(true), text]),
  redirect: z.union([
    text.transform((to) => ({ to, status: 307 })),
    z.strictObject({ to: text, status: z.int().min(300).max(399).default(307) }),
  ]),
  truncateBody: z.strictObject({ bytes: z.int().min(0), end: z.enum(['fin', 'reset']).default('fin') }),
  drip: z.strictObject({ bytes: positive.default(1), everyMs: positive.max(longestDelayMs).default(100) }),
  rateLimit: z.strictObject({
    requestsPerSecond: z.number().positive(),
    retryAfter: z.union([z.int(), text]).optional(),
  }),
};

const actionNames = Object.keys(actions) as readonly (keyof typeof actions)[];

const shape = z
  .strictObject({
    match: match.default({}),
    times: z.union([positive, z.literal('forever')]).default(1),
    skip: z.int().min(0).default(0),
    apply: z.enum(['before', 'after', 'never']).optional(),
    delayMs: z.int().min(0).max(longestDelayMs).optional(),
    headers: z.record(headerName, headerValue).optional(),
    body: z.json().optional(),
    /** Sends the body this many times over: a huge answer from a short request. */
    repeatBody: positive.max(100_000).optional(),
  })
  .extend(z.object(actions).partial().shape);

type Shape = z.output<typeof shape>;

function actionsOf(fault: Shape): readonly string[] {
  return actionNames.filter((name) => fault[name] !== undefined);
}

function isOther<Apply>(apply: Apply | undefined, only: Apply): boolean {
  return apply !== undefined && apply !== only;
}

/** What a fault may not ask for: the named field, whether this fault does, and the answer. */
const rules: readonly (readonly [field: string, isBroken: (fault: Shape) => boolean, message: string])[] = [
  [
    'status',
    (fault) => actionsOf(fault).length === 0 && fault.delayMs === undefined,
    `one of ${actionNames.join(', ')} or delayMs is required`,
  ],
  [
    'apply',
    (fault) => actionsOf(fault).length === 0 && fault.apply === 'never',
    'a delay alone ends in the real answer: add a status, reset, fin or hang',
  ],
  [
    'apply',
    ({ truncateBody, drip, apply }) => (truncateBody ?? drip) !== undefined && isOther(apply, 'before'),
    'truncateBody and drip send the real answer, so its effect comes before',
  ],
  [
    'apply',
    ({ rateLimit, apply }) => rateLimit !== undefined && isOther(apply, 'never'),
    'a request over the rate limit has no effect',
  ],
  [
    'repeatBody',
    ({ body = null, repeatBody = 1 }) => JSON.stringify(body).length * repeatBody > largestAnswer,
    `the answer would be larger than ${largestAnswer} bytes`,
  ],
  ['redirect', ({ redirect }) => redirect !== undefined && !URL.canParse(redirect.to), 'must be an absolute URL'],
  [
    'status',
    ({ headers, body, repeatBody, status, rateLimit }) =>
      (headers ?? body ?? repeatBody) !== undefined && status === undefined && rateLimit === undefined,
    'headers, body and repeatBody need a status',
  ],
];

/** The body of `POST /_control/faults`. */
export const faultSchema = shape.superRefine((fault, context) => {
  const complain = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  const given = actionsOf(fault);
  const [, second] = given;
  if (second !== undefined) complain(second, `a fault does one thing: ${given.join(' and ')} are two`);
  for (const [field, isBroken, message] of rules) if (isBroken(fault)) complain(field, message);
});

/** A fault as it was asked for, defaults filled in. */
export type FaultRequest = z.infer<typeof faultSchema>;

/** When the effect happens, seen from the fault: before it strikes, after it struck, or never. */
export function applyOf(fault: FaultRequest): 'before' | 'after' | 'never' {
  if (fault.apply !== undefined) return fault.apply;
  if (fault.truncateBody !== undefined || fault.drip !== undefined) return 'before';
  return actionNames.some((name) => fault[name] !== undefined) ? 'never' : 'after';
}
