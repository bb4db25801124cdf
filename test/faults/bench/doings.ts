/** What a gateway may do with a request, well and badly. None makes an effect unless it says so. */
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { answerText, sendJson } from '../../integration/shared/gateway-client/raw-server.ts';
import type { RawRequest } from '../../integration/shared/gateway-client/raw-server.ts';

/** One request that waits for what the gateway does with it. */
interface Exchange {
  readonly socket: Socket;
  readonly request: RawRequest;
  /** Makes the effect that was asked for, and gives the body of the answer that says so. */
  readonly apply: () => unknown;
}

/** What a gateway does with one request. */
export type Doing = (exchange: Exchange) => void;

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** Makes the effect and says so. */
export const answerWell: Doing = ({ socket, request, apply }) => {
  sendJson(socket, request.method === 'POST' ? 201 : 200, apply());
};

/** Makes the effect, then does something else than say so. */
export const afterApplying =
  (doing: Doing): Doing =>
  (exchange) => {
    exchange.apply();
    doing(exchange);
  };

/** Answers a status, as the gateway does: it says in JSON what is wrong. */
export const refuse =
  (status: number, body: unknown = { detail: 'refused' }, headers: Readonly<Record<string, string>> = {}): Doing =>
  ({ socket }) => {
    sendJson(socket, status, body, headers);
  };

/** Ends the connection with an RST. */
export const reset: Doing = ({ socket }) => void socket.resetAndDestroy();

/** Ends the connection with a FIN. */
export const end: Doing = ({ socket }) => void socket.end();

/** Never answers. */
export const keepSilent: Doing = () => {};

/** Sends these bytes, whatever they are. */
export const say =
  (bytes: string | Buffer): Doing =>
  ({ socket }) => {
    socket.write(bytes);
  };

/** A 200 with this text for a body. */
export const sayBody = (text: string, headers: Readonly<Record<string, string>> = {}): Doing =>
  say(answerText(200, text, headers));

/** A 200 of something that is not the interface. */
export const loginPage: Doing = sayBody('<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' });

/** A 200 whose body breaks off half way. */
export const breakOff =
  (by: 'fin' | 'rst'): Doing =>
  ({ socket }) => {
    // What came before an RST may be lost with it: the half must have arrived.
    socket.write(`${head}content-length: 50\r\n\r\n{"id":"ds`, () => {
      if (by === 'fin') socket.end();
      else setTimeout(() => socket.resetAndDestroy(), 50);
    });
  };

/** A 200 whose body comes a byte at a time, and never ends. */
export const drip: Doing = ({ socket }) => {
  socket.write(`${head}content-length: 100000\r\n\r\n`);
  const timer = setInterval(() => socket.write(' '), 10);
  socket.on('close', () => clearInterval(timer));
};

/** A 200 with 64 MB of spaces, in chunks, for as long as the client reads. */
export const flood: Doing = ({ socket }) => {
  const bytes = Buffer.alloc(64 * 1024, ' ');
  const chunk = Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  let left = 1024;
  socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
  const more = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(chunk)) {
        socket.once('drain', more);
        return;
      }
    }
  };
  more();
};

/** A 200 of 64 KB that would be 64 MB unpacked. Packed once, when it is asked for. */
export function gzipBomb(): Doing {
  const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
  return ({ socket }) => {
    socket.write(`${head}content-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
    socket.write(packed);
  };
}

/** Answers a status with a page of its own, as what stands before a gateway does. */
export const page =
  (
    status: number,
    text = '<html><title>Just a moment…</title></html>',
    headers: Readonly<Record<string, string>> = {},
  ): Doing =>
  ({ socket }) =>
    void socket.write(answerText(status, text, { 'content-type': 'text/html', ...headers }));

/** A 200 after an interim answer that no request asked for. */
export const unaskedContinue: Doing = ({ socket, apply }) => {
  const body = JSON.stringify(apply());
  socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answerText(200, body)}`);
};

/** Makes the effect and says so, below so many bytes of headers. */
export const underHeaders =
  (bytes: number): Doing =>
  ({ socket, apply }) => {
    const cookies = Object.fromEntries(
      Array.from({ length: bytes / 1024 }, (_, n) => [`x-edge-${n}`, 'c'.repeat(1000)]),
    );
    socket.write(answerText(200, JSON.stringify(apply()), cookies));
  };

/** Sends the caller elsewhere. */
export const redirectTo = (status: number, location: string): Doing => refuse(status, {}, { location });
