/** Answers what node's HTTP parser refuses before any router sees it, with a JSON body like every other refusal. */
import type { Duplex } from 'node:stream';

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** For the server's `clientError`. */
export function answerBadHttp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuse(socket, statuses[error.code ?? ''] ?? '400 Bad Request');
}

/** For the server's `connect`: this is no proxy. */
export function refuseConnect(_request: unknown, socket: Duplex): void {
  refuse(socket, '400 Bad Request');
}

function refuse(socket: Duplex, status: string): void {
  const body = JSON.stringify({ detail: status.slice(4) });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
