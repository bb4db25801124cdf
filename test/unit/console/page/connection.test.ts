import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { follow, live, readEvents } from '#console/page/connection/live.ts';
import { session } from '#console/page/connection/session.ts';
import { hostileTexts } from '../../../builders/hostile-texts.ts';

/** An event as the console sends it. */
const eventOf = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

// The page read a line to its first U+2028: one file name blinded the console.
test.each(hostileTexts)(
  'events hold %s as it was sent, wherever the stream is cut; comments are none',
  async (_kind, text) => {
    const bytes = new TextEncoder().encode(`: still here\n\n${eventOf('now', text)}`);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });

    const events: object[] = [];
    for await (const event of readEvents(new Response(body), () => {})) events.push(event);

    expect(events).toEqual([{ name: 'now', data: JSON.stringify(text) }]);
  },
);

/** What the page says is wrong, once this has passed. */
async function afterMs(milliseconds: number): Promise<string | undefined> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  return live.value.problem?.code;
}

describe('a stream that stands', () => {
  let send: (text: string) => void;
  let leaving: AbortController;

  beforeEach(() => {
    vi.useFakeTimers();
    leaving = new AbortController();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    send = (text) => void writer.write(new TextEncoder().encode(text));
    vi.stubGlobal('fetch', async () => new Response(readable));
    session.value = {
      kind: 'open',
      session: 'a-session',
      stages: [{ name: 'prod', words: ['--stage', 'prod'] }],
      project: '/srv/stage',
      folder: '/srv/stage',
      allow: [],
      operator: 'ann',
    };
    live.value = { stage: 'prod', state: 'connecting' };
    void follow('prod', leaving.signal);
  });
  afterEach(() => {
    leaving.abort();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    session.value = { kind: 'opening' };
    live.value = { stage: '', state: 'connecting' };
  });

  const comment = ': still here\n\n';
  const facts = eventOf('now', { asOf: '2026-11-25T08:00:00.000Z' });

  // The page said "Reading…" for ever: the comments kept the stream.
  test.each([
    ['comments', comment],
    ['unknown events', eventOf('other', {})],
  ])('and gives only %s is called unreadable after 40 s, beside a command that reads', async (_what, text) => {
    send(text);
    expect(await afterMs(15_000)).toBeUndefined();
    send(text);
    expect(await afterMs(24_999)).toBeUndefined();

    expect(await afterMs(1)).toBe('UNREADABLE');
    expect(live.value.problem?.command).toEqual(['autopilot', 'status']);
  });

  test('is no longer called so once it gives facts, and is called so again without more', async () => {
    await afterMs(20_000);
    send(facts);

    expect(await afterMs(39_999)).toBeUndefined();
    send(comment);
    expect(await afterMs(1)).toBe('UNREADABLE');
    expect(live.value.now).toBeDefined();
  });

  test('and says why the stage cannot be read has given facts', async () => {
    send(eventOf('problem', { problem: { code: 'DENIED', message: 'no' } }));
    await afterMs(39_999);
    send(eventOf('problem', { problem: { code: 'DENIED', message: 'no' } }));

    expect(await afterMs(39_999)).toBe('DENIED');
  });
});
