import { describe, expect, it } from 'vitest';
import { Exchange, outOfTime } from '#shared/gateway-client/transport/transport.ts';

/** What undici hands to a request that it starts. */
function startOf() {
  const aborts: Error[] = [];
  const abort = (reason: Error) => void aborts.push(reason);
  return { aborts, controller: { aborted: false, paused: false, reason: null, abort, pause() {}, resume() {} } };
}

describe('a request in the hands of undici', () => {
  it('is sent from its start on, and is never written twice', async () => {
    const exchange = new Exchange(1024);
    const [first, second] = [startOf(), startOf()];

    exchange.onRequestStart(first.controller);
    exchange.onRequestStart(second.controller);
    exchange.onResponseError(second.controller, new Error('gone'));

    expect([first.aborts.length, second.aborts.length]).toEqual([1, 1]);
    expect(await exchange.result).toMatchObject({ requestSent: true, brokenBy: { message: 'gone' } });
  });

  it('does not begin once its time is up', async () => {
    const exchange = new Exchange(1024);
    const start = startOf();

    exchange.end(outOfTime);
    exchange.onRequestStart(start.controller);

    expect(start.aborts).toHaveLength(1);
    expect(await exchange.result).toMatchObject({ requestSent: false, brokenBy: outOfTime });
  });
});
