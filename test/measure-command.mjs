/**
 * Runs a command, and says what it took: wall time, processor time, and the most memory that its
 * processes held at once. `node test/measure-command.mjs npm test`; ends with the command's code.
 * Memory is the sum of resident sets, so a page that two processes share counts twice. It is read
 * from /proc, four times a second: on another system only the wall time is known.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  process.stderr.write('node test/measure-command.mjs COMMAND [ARGUMENT …]: no command is given\n');
  process.exit(2);
}

const everyMs = 250;
const pageBytes = 4096;
const ticksASecond = 100;

const began = performance.now();
const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
/** Every process seen below the command: one whose parent has ended still belongs to it. */
const seen = new Set([child.pid]);
let mostBytes = 0;
const timer = setInterval(() => {
  mostBytes = Math.max(mostBytes, residentBytes());
}, everyMs);

child.on('error', (error) => {
  process.stderr.write(`${command} cannot be started: ${error.message}\n`);
  process.exit(2);
});
child.on('exit', (code, signal) => {
  clearInterval(timer);
  process.stdout.write(`\n${[command, ...args].join(' ')}: ${figures()}\n`);
  process.exitCode = signal === null ? code : 1;
});

function figures() {
  const wall = `${((performance.now() - began) / 1000).toFixed(0)} s`;
  if (process.platform !== 'linux') return wall;
  const { childTicks } = statOf('self');
  const memory = `${(mostBytes / 2 ** 20).toFixed(0)} MiB at most in all of its processes`;
  return `${wall}, ${(childTicks / ticksASecond).toFixed(0)} s of processor time, ${memory}`;
}

function residentBytes() {
  if (process.platform !== 'linux') return 0;
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), ...statOf(name) }));
  // A parent may stand behind its child, so the list is read until it has no more of them.
  let before = 0;
  while (seen.size > before) {
    before = seen.size;
    for (const { pid, parent } of processes) if (seen.has(parent)) seen.add(pid);
  }
  const alive = processes.filter(({ pid }) => seen.has(pid));
  const pids = new Set(alive.map(({ pid }) => pid));
  for (const pid of seen) if (!pids.has(pid)) seen.delete(pid); // its number may come again
  return alive.reduce((sum, { pages }) => sum + pages * pageBytes, 0);
}

/** What is read of a process; nothing of one that has just ended. */
function statOf(name) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      parent: Number(fields[1]),
      childTicks: Number(fields[13]) + Number(fields[14]),
      pages: Number(fields[21]),
    };
  } catch {
    return { parent: -1, childTicks: 0, pages: 0 };
  }
}
