import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Dispatcher } from 'undici';
import type { Deadlines, Timed } from './deadlines.ts';

/** The headers of an answer that the client reads. */
export interface AnswerHeaders {
  readonly contentType: string;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  readonly date: string | undefined;
}

/** An answer: there was a status, with or without a complete body. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** As much of the body as came, at most the cap. */
  readonly body: Buffer;
  /** How the body ended. */
  readonly ended: 'complete' | 'too-big' | 'deadline' | 'lost';
  /** What broke it off, for `lost`. */
  readonly lostBy?: unknown;
}

/** No answer at all. */
export interface WireFailure {
  readonly requestSent: boolean;
  readonly deadline: boolean;
  readonly cause?: unknown;
}

/** How an exchange ends. */
export type WireResult = { readonly answer: WireAnswer } | { readonly failure: WireFailure };

/** The bounds of one exchange. */
export interface ExchangeLimits {
  readonly totalMs: number;
  readonly maxResponseBytes: number;
  /** The body of an error or a redirect is read as far as this. */
  readonly maxErrorBytes: number;
}

/**
 * One request and its answer, as undici tells it. It bounds the time of the whole exchange, with
 * connecting and a dripping body. It bounds the size of the body as it comes. undici does neither.
 */
export class Exchange implements Dispatcher.DispatchHandler, Timed {
  readonly endsAt: number;
  readonly #mark: SentMark;
  readonly #deadlines: Deadlines;
  readonly #limits: ExchangeLimits;
  readonly #settle: (result: WireResult) => void;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: { status: number; headers: AnswerHeaders } | undefined;
  #settled = false;

  constructor(mark: SentMark, deadlines: Deadlines, limits: ExchangeLimits, settle: (result: WireResult) => void) {
    this.#mark = mark;
    this.#deadlines = deadlines;
    this.#limits = limits;
    this.#settle = settle;
    this.endsAt = performance.now() + limits.totalMs;
    deadlines.watch(this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for its connection, or about to be written a second time: neither
    // may reach the socket.
    if (this.#settled || this.#controller !== undefined) {
      controller.abort(new Error('no longer wanted'));
      return;
    }
    this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HeaderFields): void {
    if (this.#settled || status < 200) return;
    this.#head = {
      status,
      headers: {
        contentType: first(headers['content-type'])?.toLowerCase() ?? '',
        retryAfter: first(headers['retry-after']),
        location: first(headers['location']),
        date: first(headers['date']),
      },
    };
    if (status >= 300 && status < 400) this.#cut('complete');
    else if (status < 300 && Number(first(headers['content-length'])) > this.#limits.maxResponseBytes) {
      this.#cut('too-big');
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled || this.#head === undefined) return;
    const good = this.#head.status < 300;
    this.#bytes += chunk.length;
    if (good && this.#bytes > this.#limits.maxResponseBytes) {
      this.#cut('too-big');
      return;
    }
    this.#chunks.push(chunk);
    if (!good && this.#bytes >= this.#limits.maxErrorBytes) this.#cut('too-big');
  }

  onResponseEnd(): void {
    this.#finish('complete');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error, false);
  }

  /** Its time is over. */
  expire(): void {
    this.#fail(undefined, true);
    this.#controller?.abort(new Error('out of time'));
  }

  /** Ends here, although the server might go on. */
  #cut(ended: WireAnswer['ended']): void {
    this.#finish(ended);
    this.#controller?.abort(new Error('the rest is not wanted'));
  }

  #fail(cause: unknown, deadline: boolean): void {
    if (this.#head !== undefined) {
      this.#finish(deadline ? 'deadline' : 'lost', cause);
      return;
    }
    // undici starts a request before it writes it. A started one that its channel did not announce
    // counts as sent: the safe side.
    const requestSent = this.#controller !== undefined && (this.#mark.sent || this.#mark.request === undefined);
    this.#end({ failure: { requestSent, deadline, cause } });
  }

  #finish(ended: WireAnswer['ended'], lostBy?: unknown): void {
    if (this.#head === undefined) {
      this.#fail(lostBy, false);
      return;
    }
    const body = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#end({ answer: { ...this.#head, body, ended, lostBy } });
  }

  #end(result: WireResult): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#deadlines.forget(this);
    this.#settle(result);
  }
}

type HeaderFields = Readonly<Record<string, string | string[] | undefined>>;

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** What undici's channels say about one request. */
export interface SentMark {
  /** The request as undici makes it; once it was seen, `sent` can be believed. */
  request: object | undefined;
  /** Its headers were handed to the socket. */
  sent: boolean;
}

/** Watches whether requests leave this machine. */
export interface SentTracker {
  /**
   * Runs `dispatch`, which makes exactly one undici request at once, and ties that request to
   * `mark`, until it is to be forgotten.
   */
  watch(mark: SentMark, dispatch: () => void): void;
  forget(mark: SentMark): void;
  stop(): void;
}

const created = 'undici:request:create';
const headersSent = 'undici:client:sendHeaders';

/**
 * Listens to undici's diagnostics channels. Error codes cannot tell a reset while connecting from a
 * reset after sending (both are ECONNRESET); `sendHeaders` can. Other requests in this process (the
 * built-in fetch) publish there too. The identity of the request object, the same on every channel,
 * tells their messages apart.
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
