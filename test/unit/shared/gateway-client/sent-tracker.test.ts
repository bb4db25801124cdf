import { channel } from 'node:diagnostics_channel';
import { describe, expect, it } from 'vitest';
import { createSentTracker } from '../../../../shared/gateway-client/sent-tracker.ts';

const created = channel('undici:request:create');
const headersSent = channel('undici:client:sendHeaders');
const unmarked = () => ({ linked: false, sent: false });

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

    expect(firstMark).toEqual({ linked: true, sent: false });
    expect(secondMark).toEqual({ linked: true, sent: true });
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

    expect(mark).toEqual({ linked: true, sent: false });
    expect(idle).toEqual({ linked: false, sent: false });
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

    expect(mark).toEqual({ linked: false, sent: false });
  });
});
