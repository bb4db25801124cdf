#!/usr/bin/env node
/**
 * `npx autopilot`: says so if the Node is too old, then runs begin.ts, which such a Node could not
 * even read.
 */
import '#shared/require-node.mjs';

// `autopilot parked list | head` closes the pipe: no reader is left.
process.stdout.on('error', (error) => {
  if (error.code === 'EPIPE') process.exit(0);
  // A full disk, or a file that went away: the stack says no more than this.
  process.stderr.write(`autopilot: the output cannot be written (${error.message})\n`);
  process.exit(1);
});

const { begin } = await import('./begin.ts');
await begin(process.argv.slice(2), process);
