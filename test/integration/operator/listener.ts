import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { AccessKey } from '#shared/net/request-signature.ts';
import { keyFileName, proofPath, textOfKey } from '#shared/net/loopback.ts';
import { folderOfFile } from '../../builders/test-folder.ts';

/** The folder of a stage that has this key. */
export function folderOfKey(key: AccessKey): string {
  const path = folderOfFile();
  writeFileSync(join(path, keyFileName), textOfKey(key));
  return path;
}

/** What a listener answers to a challenge. */
export type Answer = (challenge: string, endpoint: string) => Promise<string> | string;

/** Some program that listens on a port of this machine. */
export interface Listener extends AsyncDisposable {
  readonly endpoint: string;
  /** Everything that it was sent. */
  readonly received: readonly {
    readonly url: string;
    readonly headers: object;
    readonly body: string;
    /** The port of the connection that it came by. */
    readonly port?: number;
  }[];
  readonly close: () => Promise<void>;
}

/** Listens, answers challenges as it is told, and refuses the rest. */
export async function startListener(answer: Answer): Promise<Listener> {
  const received: Listener['received'][number][] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const url = request.url ?? '';
      received.push({ url, headers: request.headers, body, port: request.socket.remotePort });
      if (!url.startsWith(proofPath))
        return void response.writeHead(400).end('{"__type":"Refused","message":"not the service"}');
      const challenge = new URL(url, endpoint).searchParams.get('challenge') ?? '';
      response.end(await answer(challenge, endpoint));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  };
  return { endpoint, received, close, [Symbol.asyncDispose]: close };
}

/** What a stage answers to the challenge that another client was given. */
export async function relayed(endpoint: string, challenge: string): Promise<string> {
  return (await fetch(`${endpoint}${proofPath}?challenge=${challenge}`)).text();
}
