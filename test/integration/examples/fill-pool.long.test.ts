import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Fault } from '../../peer/behaviour.ts';
import { type Peer, peerToken, startPeer } from '../../peer/peer.ts';
import { peerIds } from '../../peer/seed.ts';

const script = join(import.meta.dirname, '../../../examples/fill-pool.mjs');
const { campaigns, providers } = peerIds;
const startAt = new Date(Date.now() + 400 * 24 * 60 * 60_000).toISOString();

let peer: Peer;
beforeEach(async () => {
  peer = await startPeer();
});
afterEach(() => peer.close());

/** What a person types on a good day. */
const good = (): readonly string[] => [
  '--gateway',
  peer.url,
  '--campaign',
  campaigns.nightly,
  '--provider',
  providers.first,
  '--start-at',
  startAt,
  '--count',
  '5',
];

/** The program rests between two runs; here it says each rest, and goes on at once. */
const withoutRests = `data:text/javascript,${encodeURIComponent(`
  import timers from 'node:timers/promises';
  import { syncBuiltinESMExports } from 'node:module';
  timers.setTimeout = async (ms) => void process.stderr.write('rests for ' + ms + ' ms\\n');
  syncBuiltinESMExports();
`)}`;

function begin(args: readonly string[], token: string | undefined = peerToken) {
  const env = { PATH: process.env['PATH'], ...(token === '' ? {} : { AUTOPILOT_GATEWAY_TOKEN: token }) };
  const words = ['--import', withoutRests, script, ...args];
  return spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function end(child: ReturnType<typeof begin>) {
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { out, err, code };
}

async function fill(args: readonly string[], token?: string) {
  return end(begin(args, token));
}

/** Strikes the n-th request of a method, counted from one. */
function strike(method: string, nth: number, fault: Fault | (() => Fault)): void {
  let count = 0;
  peer.behaviour.faultOf = (request) => {
    if (request.method !== method) return undefined;
    count += 1;
    if (count !== nth) return undefined;
    return typeof fault === 'function' ? fault() : fault;
  };
}

const madeIds = () => peer.effects('scheduled').map(({ id }) => id);

function bindLine(...ids: readonly string[]): string {
  return `npx --no -- autopilot bind nightly ${ids.join(' ')}\n`;
}

test('makes runs a day apart, checks each, and prints the line that binds them', async () => {
  const { out, err, code } = await fill([...good(), '--provider', providers.second]);

  expect({ out, code }).toEqual({ out: bindLine(...madeIds()), code: 0 });
  const runs = [...peer.state.runs.values()];
  expect(runs.map((run) => run.startAt.getTime() - Date.parse(startAt))).toEqual(
    [0, 1, 2, 3, 4].map((day) => day * 24 * 60 * 60_000),
  );
  expect(runs[0]).toMatchObject({
    status: 'scheduled',
    name: `nightly ${startAt.slice(0, 10)}`,
    campaignId: campaigns.nightly,
    providerIds: [providers.first, providers.second],
  });
  expect(peer.requests.map(({ method, answer }) => `${method} ${answer?.status}`)).toEqual(
    runs.flatMap(() => ['POST 200', 'GET 200']),
  );
  for (const { id } of runs) expect(err).toContain(`${id} is scheduled for `);
  expect(err.match(/rests for 500 ms/g)).toHaveLength(4);
});

test('binds to the run that is named, begins in a year, and makes thirty if nothing else is asked for', async () => {
  const args = good().slice(0, 6);

  const { out, code } = await fill([...args, '--run', 'weekly']);

  expect(code).toBe(0);
  expect(out).toBe(`npx --no -- autopilot bind weekly ${madeIds().join(' ')}\n`);
  expect(madeIds()).toHaveLength(30);
  const days = peer.effects('scheduled').map((effect) => (effect.startAt.getTime() - Date.now()) / 86_400_000);
  expect([days[0], days.at(-1)].map((day) => Math.round(day ?? 0))).toEqual([365, 394]);
});

test.each([
  [['--dry-run'], 'Would make 5 runs for nightly at http://127.0.0.1:'],
  [['--help'], '--start-at TIME'],
])('%j says what it would do, needs no token and sends nothing', async (more, says) => {
  const { out, code } = await fill([...good(), ...more], '');

  expect([code, peer.requests.length]).toEqual([0, 0]);
  expect(out).toContain(says);
});

const wrongInputs: readonly (readonly [string, (args: readonly string[]) => readonly string[], string])[] = [
  ['no gateway', (args) => args.slice(2), '--gateway is missing.'],
  ['no provider', (args) => [...args.slice(0, 4), ...args.slice(6)], '--provider is missing.'],
  ['a campaign that is no uuid', (args) => [...args, '--campaign', 'chat-bot'], '"chat-bot" is not a uuid.'],
  [
    'six providers',
    (args) => [...args, ...Array.from({ length: 5 }, () => ['--provider', providers.second]).flat()],
    'up to 5 providers, not 6.',
  ],
  ['no runs', (args) => [...args, '--count', '0'], '--count 0 is not a whole number from 1 to 100.'],
  ['a run that has no such name', (args) => [...args, '--run', 'my run'], '--run "my run" is not the name of a run'],
  ['a past time', (args) => [...args, '--start-at', '2020-01-01T00:00:00Z'], '2020-01-01T00:00:00Z is in the past.'],
  ['a time without a zone', (args) => [...args, '--start-at', '2099-01-01T00:00:00'], 'is not a time such as'],
  ['an address that is read by others', (args) => [...args, '--gateway', 'http://192.0.2.1'], 'with https://'],
  ['an option that there is not', (args) => [...args, '--gate', 'x'], "Unknown option '--gate'."],
];

test.each(wrongInputs)('refuses %s, and sends nothing', async (_what, change, says) => {
  const { out, err, code } = await fill(change(good()));

  expect([out, code, peer.requests.length]).toEqual(['', 2, 0]);
  expect(err).toContain(says);
  expect(err).toContain('Nothing was made.');
});

test.each([
  ['none', ''],
  ['two words', 'a token'],
  ['a line end', 'secret\nline'],
])('refuses a token that is %s without showing it', async (_what, token) => {
  const { err, code } = await fill(good(), token);

  expect([code, peer.requests.length]).toEqual([2, 0]);
  expect(err).toContain('AUTOPILOT_GATEWAY_TOKEN has to hold the token of the gateway');
  expect(err).not.toContain('secret');
});

test('says that the token is wrong, without showing it', async () => {
  const { out, err, code } = await fill(good(), 'another-secret');

  expect([out, code]).toEqual(['', 1]);
  expect(err).toContain('POST /campaign-schedules: the gateway answered 401: Not authenticated. Check the token.');
  expect(err).toContain('0 of 5 runs were made.');
  expect(err).not.toContain('another-secret');
});

test('says what the gateway says of a refusal', async () => {
  peer.behaviour.aheadMs = 10 * 365 * 24 * 60 * 60_000;

  const { err, code } = await fill(good());

  expect(code).toBe(1);
  expect(err).toContain('the gateway answered 422: body.startAt: Input should be in the future.');
});

const answer = (status: number, body?: unknown): Fault => ({ kind: 'answer', status, body });

const ofRun = (campaignRun: object) => answer(200, { campaignRun });
const busy = answer(409, { detail: '\u001b[2Jbusy' });

/** What befalls the third request of a method, how many runs are made then, and what is said. */
test.each<[by: string, 'POST' | 'GET', Fault, made: number, says: string]>([
  ['403', 'POST', answer(403), 2, 'answered 403. The token may not do this.'],
  ['500 of a proxy', 'POST', answer(500, '<html>'), 2, 'the gateway answered 500.'],
  ['words that move a terminal', 'POST', busy, 2, 'answered 409:  [2Jbusy.'],
  ['no id', 'POST', answer(200, { id: 'x' }), 2, 'its answer has no campaignRunId.'],
  ['a lost answer', 'POST', { kind: 'lose-answer' }, 2, 'It may have made the schedule "nightly '],
  ['a failed read', 'GET', answer(500), 3, 'the gateway answered 500.'],
  ['a run that is not scheduled', 'GET', ofRun({ status: 'cancelled' }), 2, 'but "cancelled": it is left out.'],
  [
    'a run of another campaign',
    'GET',
    ofRun({ status: 'scheduled', campaignId: 'another' }),
    2,
    'belongs to the campaign another: it is left out.',
  ],
])(
  'a failure at the third of five by %s prints the line of what was made',
  async (...[, method, fault, made, says]) => {
    strike(method, 3, fault);

    const { out, err, code } = await fill(good());

    expect({ out, code }).toEqual({ out: bindLine(...madeIds().slice(0, made)), code: 1 });
    expect(err).toContain(says);
    expect(err).toContain(`${made} of 5 runs were made.`);
    expect(peer.requests.filter((request) => request.method === 'POST')).toHaveLength(3);
  },
);

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s in the third of five finishes it, and prints the line',
  async (signal) => {
    const child = begin(good());
    // The signal is handled while the request waits for its answer.
    strike('POST', 3, () => {
      child.kill(signal);
      return { kind: 'delay', until: new Promise((resolve) => setTimeout(resolve, 200)) };
    });

    const { out, err, code } = await end(child);

    expect({ out, code }).toEqual({ out: bindLine(...madeIds()), code: 130 });
    expect(madeIds()).toHaveLength(3);
    expect(err).toContain('Interrupted.\n3 of 5 runs were made.');
  },
);
