/**
 * Whose the other end of a loopback connection is. Each user of a machine reaches each of its ports,
 * and on Linux the kernel knows the user of each socket (proc_pid_net(5), `/proc/net/tcp`). Other
 * systems have no such file, and every end counts as the user's own.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { AddressInfo, Server, Socket } from 'node:net';

/** Rows of IPv4 sockets; then those of IPv6 sockets, which may hold IPv4 addresses. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

const listening = '0A';

/** The user of a socket that no process holds is 0, as is root's; only its inode tells them apart. */
interface SocketRow {
  /** Its own end, then the other one. */
  readonly ends: string;
  readonly state: string;
  readonly uid: number;
  readonly inode: number;
}

const answers = new WeakMap<Socket, Promise<boolean>>();

/**
 * Whether this user or root opened a connection that was accepted here; false for a caller that has
 * gone.
 */
export async function isOwnCaller(socket: Socket): Promise<boolean> {
  const known = answers.get(socket);
  if (known !== undefined) return known;
  const answer = askForCaller(socket);
  answers.set(socket, answer);
  return answer;
}

async function askForCaller({ remoteAddress, remotePort, localAddress, localPort }: Socket): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  for (const file of tables) {
    const ends = `${endOf(file, remoteAddress, remotePort)} ${endOf(file, localAddress, localPort)}`;
    const rows = await readShared(file);
    if (rows === undefined) return true;
    const row = rows.get(ends);
    if (row !== undefined) return row.inode !== 0 && isTrusted(row.uid);
  }
  return false;
}

type SocketTable = ReadonlyMap<string, SocketRow> | undefined;

/** A long table takes milliseconds, so connections that come together share a reading that began after them. */
const reading = new Map<string, Promise<SocketTable>>();
async function readShared(file: string): Promise<SocketTable> {
  // The one under way may have passed the row already.
  await reading.get(file);
  const table = reading.get(file) ?? readByEnds(file).finally(() => reading.delete(file));
  reading.set(file, table);
  return table;
}

/** A system without the table is no reason to refuse; a table that cannot be read now is, for instance without a free descriptor. */
async function readByEnds(file: string): Promise<SocketTable> {
  try {
    return new Map(rowsIn(await readFile(file, 'latin1')).map((row) => [row.ends, row]));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : new Map();
  }
}

/**
 * Whether this user or root listens at the other end. The program may not have accepted yet, so the
 * connection itself does not tell.
 */
export function isOwnListener({ remoteAddress, remotePort }: Socket): boolean {
  if (process.platform !== 'linux') return true;
  for (const file of tables) {
    const ends = [remoteAddress, '0.0.0.0', '::'].map((address) => endOf(file, address, remotePort));
    const rows = readListeners(file, (row) => ends.some((end) => row.ends.startsWith(`${end} `)));
    if (rows === undefined) return true;
    // The kernel refuses a second listener on the same port, at an address that includes this one.
    if (rows.length > 0) return rows.every(({ uid }) => isTrusted(uid));
  }
  return false;
}

/** What one read of a table gives at most. */
const pieceBytes = 4096;

/**
 * The listeners that are asked for. The kernel lists listeners first, and takes milliseconds over the connections behind them: once it comes
 * to those, what was found is all there is.
 */
function readListeners(path: string, isAskedFor: (row: SocketRow) => boolean): SocketRow[] | undefined {
  const file = openTable(path);
  if (file === undefined) return undefined;
  const piece = Buffer.alloc(pieceBytes);
  let text = '';
  try {
    for (;;) {
      const length = readSync(file, piece);
      text += piece.toString('latin1', 0, length);
      const rows = rowsIn(text);
      const found = rows.filter((row) => row.state === listening && isAskedFor(row));
      const isPast = found.length > 0 && rows.some(({ state }) => state !== listening);
      if (length === 0 || isPast) return found;
    }
  } finally {
    closeSync(file);
  }
}

function openTable(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

function rowsIn(text: string): SocketRow[] {
  return [...text.matchAll(/: (\S+ \S+) (\S+) \S+ \S+ \S+ +(\d+) +\d+ (\d+) /g)].map(
    ([, ends = '', state = '', uid, inode]) => ({ ends, state, uid: Number(uid), inode: Number(inode) }),
  );
}

/** As the table has it: each 32 bits of the address in the byte order of the machine, then the port. */
function endOf(file: string, address = '', port = 0): string {
  const dotted = address.replace('::ffff:', '');
  const bytes = dotted.split('.').map(Number).toReversed();
  const ipv4 = bytes.length === 4 ? Buffer.from(bytes).toString('hex') : undefined;
  const last = address === '::1' ? '01000000' : '00000000';
  const ipv6 = `${'0'.repeat(16)}${ipv4 === undefined ? `00000000${last}` : `ffff0000${ipv4}`}`;
  return `${file.endsWith('6') ? ipv6 : ipv4}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/** How a server limits its connections. */
export interface ConnectionLimit {
  /** @default 1,000: three servers of a stage stay below 4,096 descriptors, a usual limit of a process */
  readonly most?: number | undefined;
  /** Hears, once a minute at most, that connections are refused. */
  readonly warn: (line: string) => void;
}

/** A flood drops thousands of connections. */
const warnEveryMs = 60_000;

/** Takes so many connections at most, and says so when it refuses more. Half a request holds one for a minute. */
export function limitConnections(server: Server, { most = 1000, warn }: ConnectionLimit): void {
  server.maxConnections = most;
  let warnedAt = -Infinity;
  server.on('drop', () => {
    if (performance.now() - warnedAt < warnEveryMs) return;
    warnedAt = performance.now();
    const { port } = server.address() as AddressInfo;
    warn(
      `port ${port} has ${most.toLocaleString('en')} connections and refuses more: end the program that holds them (\`ss -tnp\` lists them)`,
    );
  });
}

/** The same, for this user and root alone: the connection of another user ends at once. */
export function keepToOwner(server: Server, limit: ConnectionLimit): void {
  limitConnections(server, limit);
  server.on('connection', (socket) => void endForeign(socket));
}

async function endForeign(socket: Socket): Promise<void> {
  if (!(await isOwnCaller(socket)) && !socket.destroyed) socket.resetAndDestroy();
}
