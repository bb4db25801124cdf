/**
 * `node --import …/local/clock/preload.mjs`: starts a process on the movable clock. The offset is
 * read once from the file that AUTOPILOT_CLOCK_FILE names; later moves arrive as
 * `{ clockOffsetMs }` messages from the process that forked this one. A process without such a
 * parent keeps the offset it started with.
 */
import { readFileSync } from 'node:fs';

import { applyClock } from './moved-date.mjs';

let offsetMs = readOffset(process.env.AUTOPILOT_CLOCK_FILE);
applyClock(() => offsetMs);

process.on('message', (message) => {
  if (typeof message?.clockOffsetMs === 'number') offsetMs = message.clockOffsetMs;
});
// Following the clock is no reason to stay alive.
process.channel?.unref();

function readOffset(file) {
  if (file === undefined) return 0;
  try {
    const offset = JSON.parse(readFileSync(file, 'utf8')).offsetMs;
    return typeof offset === 'number' ? offset : 0;
  } catch (error) {
    if (error.code === 'ENOENT') return 0; // the clock was never moved
    throw error;
  }
}
