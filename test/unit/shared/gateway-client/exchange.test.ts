import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Exchange, type SentMark, type WireResult } from '#shared/gateway-client/transport/exchange.ts';
import { createDeadlines } from '#shared/gateway-client/transport/deadlines.ts';
const limits = { totalMs: 1000, maxResponseBytes: 10, maxErrorBytes: 4 };

/** An exchange on the hands of a test, with what undici would see of it. */
function start(mark: SentMark = { request: {}, sent: false }) {
  const results: WireResult[] = [];
  const aborts: Error[] = [];
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    abort: (reason) => aborts.push(reason),
    pause: () => {},
    resume: () => {},
  };
  const exchange = new Exchange(mark, createDeadlines(), limits, (result) => results.push(result));
  return { exchange, controller, results, aborts, mark };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('Exchange', () => {
  it.each([
    ['never started', false, { request: {}, sent: false }, false],
    ['never started and never linked', false, { request: undefined, sent: false }, false],
    ['started, headers not handed over', true, { request: {}, sent: false }, false],
    ['started, headers handed over', true, { request: {}, sent: true }, true],
    ['started, but not announced by the channel', true, { request: undefined, sent: false }, true],
  ])('says whether a request was sent that was %s', (_name, started, mark, requestSent) => {
    const { exchange, controller, results } = start(mark);
    if (started) exchange.onRequestStart(controller);

    exchange.onResponseError(controller, new Error('lost'));

    expect(results).toMatchObject([{ failure: { requestSent, deadline: false } }]);
  });

  it('ends at the deadline, and keeps a request that gets its connection too late off the wire', () => {
    const { exchange, controller, results, aborts } = start();

    vi.advanceTimersByTime(1000);
    exchange.onRequestStart(controller);

    expect(results).toMatchObject([{ failure: { requestSent: false, deadline: true } }]);
    expect(aborts).toHaveLength(1);
  });

  it('lets no request be written twice', () => {
    const { exchange, controller, aborts } = start();

    exchange.onRequestStart(controller);
    exchange.onRequestStart(controller);

    expect(aborts).toHaveLength(1);
  });

  it('passes over interim answers and settles once', () => {
    const { exchange, controller, results } = start();
    exchange.onRequestStart(controller);

    exchange.onResponseStart(controller, 103, {});
    exchange.onResponseStart(controller, 200, { 'content-type': 'Application/JSON', 'retry-after': ['5', '6'] });
    exchange.onResponseData(controller, Buffer.from('{}'));
    exchange.onResponseEnd();
    exchange.onResponseError(controller, new Error('late'));
    vi.advanceTimersByTime(5000);

    expect(results).toEqual([
      {
        answer: {
          status: 200,
          headers: { contentType: 'application/json', retryAfter: '5', location: undefined, date: undefined },
          body: Buffer.from('{}'),
          ended: 'complete',
          lostBy: undefined,
        },
      },
    ]);
  });

  it('takes a redirect as answered before its body', () => {
    const { exchange, controller, results, aborts } = start();
    exchange.onRequestStart(controller);

    exchange.onResponseStart(controller, 302, { location: 'https://elsewhere.example/x' });

    expect(results).toMatchObject([{ answer: { status: 302, headers: { location: 'https://elsewhere.example/x' } } }]);
    expect(aborts).toHaveLength(1);
  });

  it.each([
    [200, 11, 'too-big', 0],
    [200, 10, 'complete', 10],
    [500, 11, 'too-big', 11],
  ])('with status %i and %i bytes ends %s', (status, bytes, ended, kept) => {
    const { exchange, controller, results } = start();
    exchange.onRequestStart(controller);

    exchange.onResponseStart(controller, status, {});
    exchange.onResponseData(controller, Buffer.alloc(bytes));
    exchange.onResponseEnd();

    expect(results).toMatchObject([{ answer: { status, ended } }]);
    expect(results[0] && 'answer' in results[0] ? results[0].answer.body.length : -1).toBe(kept);
  });
});
