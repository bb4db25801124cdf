import { channel } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { createSentTracker, type SentMark } from '#shared/gateway-client/transport/exchange.ts';

const created = channel('undici:request:create');
const headersSent = channel('undici:client:sendHeaders');
const unmarked = (): SentMark => ({ request: undefined, sent: false });

describe('createSentTracker', () => {
  it('marks the request that was made inside the watch, and no other', () => {
    const tracker = createSentTracker();
    const [first, second, foreign] = [{ path: '/same' }, { path: '/same' }, { path: '/same' }];
    const [firstMark, secondMark] = [unmarked(), unmarked()];

    tracker.watch(firstMark, () => created.publish({ request: first }));
    created.publish({ request: foreign });
    tracker.watch(secondMark, () => created.publish({ request: second }));
    headersSent.publish({ request: foreign });
    headersSent.publish({ request: second });
    tracker.stop();

    expect(firstMark).toStrictEqual({ request: first, sent: false });
    expect(secondMark).toStrictEqual({ request: second, sent: true });
  });

  it('links only the request that was made first, and forgets a watch that made none', () => {
    const tracker = createSentTracker();
    const [own, later] = [{}, {}];
    const mark = unmarked();
    const idle = unmarked();

    tracker.watch(mark, () => {
      created.publish({ request: own });
      created.publish({ request: later });
    });
    tracker.watch(idle, () => {});
    created.publish({ request: {} });
    headersSent.publish({ request: later });
    tracker.stop();

    expect(mark).toStrictEqual({ request: own, sent: false });
    expect(idle).toStrictEqual(unmarked());
  });

  it('marks no request any more whose mark was forgotten', () => {
    const tracker = createSentTracker();
    const request = {};
    const mark = unmarked();

    tracker.watch(mark, () => created.publish({ request }));
    tracker.forget(mark);
    headersSent.publish({ request });
    tracker.stop();

    expect(mark).toStrictEqual({ request, sent: false });
  });

  it('hears nothing after it was stopped, and is deaf to messages of another shape', () => {
    const tracker = createSentTracker();
    const mark = unmarked();

    tracker.watch(mark, () => {
      created.publish(undefined);
      created.publish({ request: 'text' });
    });
    tracker.stop();
    tracker.watch(mark, () => created.publish({ request: {} }));

    expect(mark).toStrictEqual(unmarked());
  });
});
