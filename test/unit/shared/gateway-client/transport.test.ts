import { describe, expect, it } from 'vitest';
import { Watched } from '#shared/gateway-client/transport/transport.ts';

/** What undici hands to a request that it starts. */
function startOf() {
  const aborts: Error[] = [];
  const abort = (reason: Error) => void aborts.push(reason);
  return { aborts, controller: { aborted: false, paused: false, reason: null, abort, pause() {}, resume() {} } };
}

describe('a request in the hands of undici', () => {
  it('is sent from its start on, and is never written twice', () => {
    const watched = new Watched();
    const handler = watched.around({});
    const [first, second] = [startOf(), startOf()];

    expect(watched.controller).toBeUndefined();
    handler.onRequestStart?.(first.controller, null);
    handler.onRequestStart?.(second.controller, null);

    expect(watched.controller).toBe(first.controller);
    expect([first.aborts.length, second.aborts.length]).toEqual([0, 1]);
  });

  it('does not begin once its time is up', () => {
    const watched = new Watched();
    const start = startOf();

    watched.isOver = true;
    watched.around({}).onRequestStart?.(start.controller, null);

    expect(watched.controller).toBeUndefined();
    expect(start.aborts).toHaveLength(1);
  });
});
