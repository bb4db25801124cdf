import type { FaultRequest } from '#gateway/faults/fault.ts';
import type { SeededRandom } from './events/seeded-random.ts';

/** A fault as `POST /_control/faults` takes it. */
export type Fault = Partial<FaultRequest>;

/**
 * Longer than a worker of stage chaos waits for an answer: 4 s, of its 10. No effect comes later
 * than this.
 */
export const longestLateMs = 4500;

/** Nothing listens there; a worker that followed would be seen by its error. */
const elsewhere = 'http://127.0.0.1:9/elsewhere';

/** Something before the gateway answers in its place; `times`: for as many requests in a row as minutes bring. */
const edge = { headers: { 'content-type': 'text/html' }, body: '<html><title>Blocked</title></html>' } as const;

/**
 * What goes wrong, by how often: the faults of the catalogue that one request can meet (A4 to A30),
 * with and without its effect.
 */
const faults: readonly (readonly [weight: number, fault: Fault])[] = [
  [10, { reset: true, apply: 'never' }],
  [12, { reset: true, apply: 'before' }],
  [5, { fin: true, apply: 'never' }],
  [8, { fin: true, apply: 'before' }],
  [6, { truncateBody: { bytes: 5, end: 'fin' } }],
  [3, { truncateBody: { bytes: 0, end: 'reset' } }],
  [7, { status: 500, apply: 'never' }],
  [6, { status: 500, apply: 'before' }],
  [5, { status: 502, apply: 'never' }],
  [3, { status: 504, apply: 'before' }],
  [3, { status: 503, apply: 'never' }],
  [4, { status: 503, apply: 'never', headers: { 'retry-after': '1' } }],
  [6, { status: 429, apply: 'never', headers: { 'retry-after': '1' } }],
  [4, { status: 429, apply: 'never' }],
  [4, { delayMs: longestLateMs, apply: 'before' }], // made at once, answered too late
  [4, { delayMs: longestLateMs }], // made too late: no call waits for it any more
  [2, { hang: true, apply: 'before' }],
  [3, { garbage: true, apply: 'before' }],
  [2, { garbage: true, apply: 'never' }],
  [3, { status: 200, apply: 'never', headers: { 'content-type': 'text/html' }, body: '<html>Please log in</html>' }],
  [2, { ...edge, status: 403, apply: 'never', times: 10 }],
  [1, { ...edge, status: 413, apply: 'never' }],
  [2, { ...edge, status: 530, apply: 'never', times: 10 }],
  [2, { ...edge, status: 499, apply: 'before' }],
  [0.5, { status: 401, apply: 'never' }],
  [0.5, { redirect: elsewhere, apply: 'never' }],
];

/** Draws a fault for one request. */
export function drawFault(random: SeededRandom): Fault {
  return random.weighted(faults);
}

/**
 * How many requests go through before the next one is struck, if each is struck with this
 * probability.
 */
export function requestsBeforeFault(probability: number, random: SeededRandom): number {
  return Math.floor(Math.log(1 - random.next()) / Math.log(1 - probability));
}
