/** I18: a redirect is not followed. */
import { describe, expect, it } from 'vitest';
import { redirectTo } from '../bench/doings.ts';
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
  it('[A18] a redirect is not followed by an upload, which is parked; no byte reaches the other host', async () => {
    const { gateway, other } = await redirecting(status);
    const bench = uploadsTo(gateway);
    const body = bench.put(upload);

    const result = await bench.deliver(body);
    await bench.deliver(body, { receiveCount: 2 });

    // "Done, look over there": the one redirect that may follow an effect.
    const reason = status === 303 ? 'POST_OUTCOME_UNKNOWN' : 'REDIRECT';
    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason }] });
    expect(await bench.row(upload)).toMatchObject({ parked: { httpStatus: status, errorCode: 'REDIRECT' } });
    expect(gateway.requests).toHaveLength(1);
    expect(other.connections()).toBe(0);
  });

  it('[A18] a redirect is not followed by a start or a listing', async () => {
    const { gateway, other } = await redirecting(status);
    const runs = runsTo(gateway);
    const polls = pollsOf(gateway);

    const result = await runs.deliver(start);
    await expect(polls.poll()).rejects.toMatchObject({ code: 'REDIRECT' });

    // "Done, look over there": it may have begun, and is sent again.
    const parked = { outcomes: [{ kind: 'parked', reason: 'REDIRECT' }] };
    expect(result).toMatchObject(status === 303 ? { kind: 'later' } : parked);
    expect(gateway.requests).toHaveLength(2);
    expect(other.connections()).toBe(0);
    expect(polls.known()).toEqual([]);
  });
});
