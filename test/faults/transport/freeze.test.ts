import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startClientProcess } from '../bench/client-process.ts';
import { isLinux } from '../bench/is-linux.ts';
import { startPathProxy } from '../bench/path-proxy.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';

/**
 * A frozen environment knows nothing of what became of its connections: it finds out when it uses
 * one.
 */
describe('a process that was frozen between two calls', () => {
  it.runIf(isLinux)(
    '[A32] a process that was frozen finds its connections closed in order, and no call fails',
    async () => {
      const sockets: Socket[] = [];
      const gateway = await startRawGateway({ onConnection: (socket) => sockets.push(socket) });
      const client = await startClientProcess(gateway.baseUrl);
      await client.call('get');

      await client.freeze();
      for (const socket of sockets) socket.end();
      client.thaw();
      const get = await client.call('get');
      const post = await client.call('post');

      expect(get).toMatchObject({ failure: null });
      expect(post).toMatchObject({ failure: null, attempts: 1 });
      expect([...gateway.datasets.values()]).toEqual([1]);
    },
  );

  it.runIf(isLinux)(
    '[A33] a process that was frozen finds them forgotten and reset: a POST goes out on a fresh one, a GET needs one repeat',
    async () => {
      const gateway = await startRawGateway();
      const proxy = await startPathProxy(gateway.port);
      const client = await startClientProcess(`http://127.0.0.1:${proxy.port}`);
      await client.call('get');

      await client.freeze();
      proxy.forget();
      client.thaw();
      const post = await client.call('post');
      const get = await client.call('get');

      expect(post).toMatchObject({ failure: null, attempts: 1 });
      expect(get).toMatchObject({ failure: null, attempts: 2 });
      expect([...gateway.datasets.values()]).toEqual([1]);
      // The first read, the POST, and the repeat of the second read: the read that was lost arrived
      // nowhere.
      expect([proxy.connections(), gateway.requests.length]).toEqual([3, 3]);
    },
  );
});
