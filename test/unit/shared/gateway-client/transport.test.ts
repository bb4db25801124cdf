import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { marking } from '#shared/gateway-client/transport/transport.ts';

/** A request in the hands of undici. */
function dispatched() {
  const mark = { sent: false };
  const aborts: Error[] = [];
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort(reason: Error) {
      aborts.push(reason);
      controller.aborted = true;
    },
    pause: () => {},
    resume: () => {},
  };
  const start = (handler: Dispatcher.DispatchHandler) => {
    let started: Dispatcher.DispatchHandler = {};
    marking(mark)((_options, wrapped) => {
      started = wrapped;
      return true;
    })({ path: '/', method: 'POST' }, handler);
    return () => started.onRequestStart?.(controller, null);
  };
  return { mark, aborts, start };
}

describe('whether a request was sent', () => {
  it('is so from its start on, and no request is written twice', () => {
    const { mark, aborts, start } = dispatched();
    const begin = start({});

    expect(mark.sent).toBe(false);
    begin();
    expect([mark.sent, aborts.length]).toEqual([true, 0]);
    begin();
    expect([mark.sent, aborts.length]).toEqual([true, 1]);
  });

  it('is not so of a request that is given up before its first byte', () => {
    const { mark, start } = dispatched();

    start({ onRequestStart: (controller) => controller.abort(new Error('out of time')) })();

    expect(mark.sent).toBe(false);
  });
});
