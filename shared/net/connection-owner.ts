/**
 * Whose the other end of a loopback connection is. Each user of a machine reaches each of its ports,
 * and on Linux the kernel knows the user of each socket (proc_pid_net(5), `/proc/net/tcp`). Other
 * systems have no such file, and every end counts as the user's own.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** Rows of IPv4 sockets; then those of IPv6 sockets, which may hold IPv4 addresses. */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

const listening = '0A';

/** The user of a socket that no process holds is 0, as is root's; only its inode tells them apart. */
interface SocketRow {
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
    const ends = [endOf(file, remoteAddress, remotePort), endOf(file, localAddress, localPort)].join(' ');
    const text = await readShared(file).catch(() => undefined);
    if (text === undefined) return true;
    const [row] = rowsIn(text, ends);
    if (row !== undefined) return row.inode !== 0 && isTrusted(row.uid);
  }
  return false;
}

/** A long table takes milliseconds, so connections that come together share a reading that began after them. */
const reading = new Map<string, Promise<string>>();
async function readShared(file: string): Promise<string> {
  // The one under way may have passed the row already.
  await reading.get(file)?.catch(() => '');
  const text = reading.get(file) ?? readFile(file, 'latin1').finally(() => reading.delete(file));
  reading.set(file, text);
  return text;
}

/**
 * Whether this user or root listens at the other end. The program may not have accepted yet, so the
 * connection itself does not tell.
 */
export function isOwnListener({ remoteAddress, remotePort }: Socket): boolean {
  if (process.platform !== 'linux') return true;
  for (const file of tables) {
    const text = readTable(file);
    if (text === undefined) return true;
    const ends = [remoteAddress, '0.0.0.0', '::'].map((address) => endOf(file, address, remotePort));
    const rows = rowsIn(text, `(?:${ends.join('|')}) 0+:0000`).filter(({ state }) => state === listening);
    // The kernel refuses a second listener on the same port, at an address that includes this one.
    if (rows.length > 0) return rows.every(({ uid }) => isTrusted(uid));
  }
  return false;
}

function readTable(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.geteuid?.();
}

/** The rows whose local and remote end are these. */
function rowsIn(text: string, ends: string): SocketRow[] {
  return [...text.matchAll(new RegExp(`: ${ends} (\\S+) \\S+ \\S+ \\S+ +(\\d+) +\\d+ (\\d+) `, 'g'))].map(
    ([, state = '', uid, inode]) => ({ state, uid: Number(uid), inode: Number(inode) }),
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
