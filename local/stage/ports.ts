import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartProblem } from './start-options.ts';

/**
 * The port to listen on: the one asked for, if it is free, or any free one for 0.
 * @throws StartProblem when somebody listens there already
 */
export async function freePort(port: number, flag: string): Promise<number> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new StartProblem(`port ${port} is in use: end what listens there, or choose another with ${flag}`, {
        cause: error,
      });
    }
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      throw new StartProblem(`port ${port} needs more rights than yours: choose one above 1023 with ${flag}`, {
        cause: error,
      });
    }
    throw error;
  }
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : port;
}
