/** I18: a redirect is not followed. */
import { describe, expect, it } from 'vitest';
import { answerWell, redirectTo } from '../bench/doings.ts';
import { pollsOf, runsTo, start, upload, uploadsTo } from '../bench/workers.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';

/** A gateway that redirects every caller to another one, which must not learn that we exist. */
async function redirecting(status: number) {
  const other = await startRawGateway();
  const gateway = await startRawGateway();
  gateway.always(redirectTo(status, `${other.baseUrl}/backend/v1/datasets`));
  return { gateway, other };
}

describe.each([301, 302, 303, 307, 308])('a redirect with %i', (status) => {
  // "Done, look over there": the one redirect that may follow an effect.
  const isDone = status === 303;

  it('[A18] a redirect is not followed by an upload; no byte reaches the other host', async () => {
    const { gateway, other } = await redirecting(status);
    const bench = uploadsTo(gateway);
    const body = bench.put(upload);

    const result = await bench.deliver(body);
    const row = await bench.row(upload);
    gateway.always(answerWell);
    bench.pass(60_000);
    await bench.deliver(body, { receiveCount: 2 });

    const evidence = { httpStatus: status, errorCode: 'REDIRECT', speaker: 'edge' };
    const parked = { outcomes: [{ kind: 'parked', reason: 'POST_OUTCOME_UNKNOWN' }] };
    expect(result).toMatchObject(isDone ? parked : { kind: 'later' });
    expect(row).toMatchObject(isDone ? { parked: evidence } : { state: 'READY', evidence });
    expect([...gateway.datasets.values()]).toEqual(isDone ? [] : [1]);
    expect(other.connections()).toBe(0);
  });

  it('[A18] a redirect is not followed by a start or a listing', async () => {
    const { gateway, other } = await redirecting(status);
    const runs = runsTo(gateway);
    const polls = pollsOf(gateway);

    const result = await runs.deliver(start);
    await expect(polls.poll()).rejects.toMatchObject({ code: 'REDIRECT' });

    expect(result).toMatchObject({ kind: 'later' });
    // It may have begun, and is sent again.
    expect(await runs.inFlight()).toHaveLength(isDone ? 1 : 0);
    expect(gateway.requests).toHaveLength(2);
    expect(other.connections()).toBe(0);
    expect(polls.known()).toEqual([]);
  });
});
