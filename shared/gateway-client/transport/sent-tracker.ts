import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/** What undici's channels say about one request. */
export interface SentMark {
  /** The request as undici makes it; once it was seen, `sent` can be believed. */
  request: object | undefined;
  /** Its headers were handed to the socket. */
  sent: boolean;
}

/** Watches whether requests leave this machine. */
export interface SentTracker {
  /** Runs `dispatch`, which makes exactly one undici request at once, and ties that request to `mark`, until it is to be forgotten. */
  watch(mark: SentMark, dispatch: () => void): void;
  forget(mark: SentMark): void;
  stop(): void;
}

const created = 'undici:request:create';
const headersSent = 'undici:client:sendHeaders';

/**
 * Listens to undici's diagnostics channels. Error codes cannot tell a reset while connecting from a reset after sending (both are ECONNRESET);
 * `sendHeaders` can. Messages of other requests in this process (the built-in fetch publishes there too) are told apart by the identity of the
 * request object, which is the same on every channel.
 */
export function createSentTracker(): SentTracker {
  // A handful: as many as there are requests under way.
  const marks = new Set<SentMark>();
  let beingMade: SentMark | undefined;

  const onCreated = (message: unknown): void => {
    const request = requestOf(message);
    if (beingMade === undefined || request === undefined) return;
    beingMade.request = request;
    beingMade = undefined;
  };
  const onHeadersSent = (message: unknown): void => {
    const request = requestOf(message);
    if (request === undefined) return;
    for (const mark of marks) if (mark.request === request) mark.sent = true;
  };
  // A channel without a strong reference could be collected together with its subscribers.
  const keep = [channel(created), channel(headersSent)];
  subscribe(created, onCreated);
  subscribe(headersSent, onHeadersSent);

  return {
    watch(mark, dispatch) {
      beingMade = mark;
      marks.add(mark);
      try {
        dispatch();
      } finally {
        beingMade = undefined;
      }
    },
    forget(mark) {
      marks.delete(mark);
    },
    stop() {
      unsubscribe(created, onCreated);
      unsubscribe(headersSent, onHeadersSent);
      keep.length = 0;
    },
  };
}

function requestOf(message: unknown): object | undefined {
  if (typeof message !== 'object' || message === null || !('request' in message)) return undefined;
  return typeof message.request === 'object' && message.request !== null ? message.request : undefined;
}
