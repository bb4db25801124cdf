/** What an operator asks at 3 a.m., in a terminal of 80 columns: each is answered by one command, in lines that nothing cuts. */
import { stripVTControlCharacters } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { main } from '#cli/main.ts';
import { keptTerminal } from '../../../builders/kept-terminal.ts';
import { dailyAt, openTroubledNight } from './troubled-night.ts';

const it = await openTroubledNight();
afterAll(it.close);

const columns = 80;

test.each([
  ['Is anything running?', 'status', /^nightly: runs since \d\d:\d\d, stops \d\d:\d\d$/m],
  [
    'Can I stop it?',
    'stop --all-in-flight --reason INC-79',
    /nightly[^]*npx --no -- autopilot stop --all-in-flight --reason INC-79 --yes/,
  ],
  ['Why did it not start?', 'history', /start nightly +skipped FROZEN +frozen by \w+ since/],
  [
    'What must I do first?',
    'status',
    /^Needs attention \(\d\)\n +PROBLEM +parked +1 item needs a decision: 1 CHECK_FAILED\n[^]*npx --no -- autopilot parked list/m,
  ],
  ['What ran last night?', 'history --since 12h', /start nightly +running +runs since [^]*operator \w+: CHG-8/],
  ['When is the next one?', 'plan', new RegExp(`${dailyAt}, in 23 h .* daily +start nightly +skipped FROZEN`)],
  ['Is the gateway down, or are we?', 'doctor', /^ +ok +gateway +http\S+ answers$[^]*^ +ok +gateway connection +ok/m],
  ['What did I lose?', 'parked list', /^\w{8} +CHECK_FAILED +upload +datasets\/customers\.csv/m],
  ['Who stopped it?', 'history', /stop smoke +applied +operator \w+: INC-78/],
  ['Until when do the ids last?', 'status', /^ +nightly +\d+ ids left, enough until \w+ \d+ \w+ \d{4} \d\d:\d\d$/m],
])('%s autopilot %s', async (_question, line, answer) => {
  const { terminal, written } = keptTerminal({ AUTOPILOT_DATA: it.dataDir }, { isTTY: true, columns });

  await main(line.split(' '), terminal);

  const shown = stripVTControlCharacters(written.out);
  expect(shown).toMatch(answer);
  // What is pasted stays whole.
  const wide = shown.split('\n').filter((one) => one.length > columns && !one.includes('npx --no -- autopilot'));
  expect(wide).toEqual([]);
});
