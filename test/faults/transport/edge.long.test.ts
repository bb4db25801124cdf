/** I4, I8, I14: each other answer of something before the gateway; one of each kind is in edge.test.ts. */
import { expect, it } from 'vitest';
import { afterApplying, page, refuse, underHeaders } from '../bench/doings.ts';
import { allRegistered, type EdgeCase, settled, stopBehind, twelveUploads } from '../bench/edges.ts';

const text = { 'content-type': 'text/plain' };

/** It proves that nothing was done, and says nothing of this one request. */
const refusals: readonly EdgeCase[] = [
  ...[404, 407, 410, 421, 451].map((status): EdgeCase => [`${status} with a page`, page(status)]),
  ['403 in plain text', page(403, 'error code: 1020', text)],
  ['403 in JSON that is not of the gateway', refuse(403, { ray: 'a1' })],
  ['401 with a page', page(401)],
  ['305 with a page', page(305)],
  ['408 with a page', page(408)],
  ['503 with Retry-After and a page', page(503, undefined, { 'retry-after': '30' })],
];

/** It is about this one request: an upload may be parked EDGE_REFUSED. */
const ofOneRequest: readonly EdgeCase[] = [400, 405, 406, 411, 414, 415, 422, 431, 501, 505].map((status): EdgeCase => [
  `${status} with a page`,
  page(status),
]);

/** It does not say whether the gateway has done it. */
const unproven: readonly EdgeCase[] = [
  ...[402, 409, 412, 418, 428, 499, 502, 507, 511, 530, 561, 599, 999].map((status): EdgeCase => [
    `${status} with a page`,
    page(status),
  ]),
  ['530 without a body', page(530, '')],
  ['499 with a page after the effect', afterApplying(page(499))],
  ['303 with a page', page(303)],
  ['a web page as 200', page(200)],
  ['headers of 70 KB', underHeaders(70 * 1024)],
  ['a broken header line', ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nbad header\r\n\r\n')],
];

it.each(refusals)('[A37] %s: each of 12 uploads is registered once, and none is parked', async (_name, doing) => {
  expect(await twelveUploads(doing)).toMatchObject(allRegistered);
});

it.each(ofOneRequest)('[A37] %s: uploads end EDGE_REFUSED, never in doubt', async (_name, doing) => {
  const { ends, closed } = await twelveUploads(doing);

  expect([new Set(ends), closed]).toEqual([new Set(['EDGE_REFUSED']), 0]);
});

it.each(unproven)(
  '[A38] %s: at most three of 12 uploads are in doubt, the rest are registered once',
  async (_name, doing) => {
    const { ends } = await twelveUploads(doing);

    const inDoubt = ends.filter((end) => end === 'POST_OUTCOME_UNKNOWN').length;
    expect([1, 2, 3]).toContain(inDoubt);
    expect(ends.filter((end) => end === 'APPLIED')).toHaveLength(12 - inDoubt);
  },
);

it.each([...refusals, ...ofOneRequest, ...unproven])(
  '[A37 A38] %s: a planned stop waits for as long, and settles when the gateway answers',
  async (_name, doing) => {
    expect(await stopBehind(doing)).toEqual(settled);
  },
);
