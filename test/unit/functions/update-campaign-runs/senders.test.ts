import { describe, expect, test } from 'vitest';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { atTen, blackout, commandOf, hours, inFlightOf, minutes, operator, outcomeOf } from './harness/guard-nights.ts';
import { aCommand, createUpdateBench, senderNames, smokeIds } from './harness/update-bench.ts';

const sentBy = (name: string) => ({ senderId: `AROA-${name}:a-session` });

const stopOf = (id: string) => ({ id, action: 'stop', campaignRunId: smokeIds[0], run: undefined }) as const;
const commands = {
  'of a schedule': aCommand(),
  'of an upload': aCommand({ id: 'upload:0a:smoke', origin: { kind: 'upload', name: 'datasets/a.csv' } }),
  'of changed packages': aCommand({ id: 'change:vendor:1:smoke', origin: { kind: 'change', name: 'vendor' } }),
  'of a changed project': aCommand({ id: 'change:projects.app:1:smoke', origin: { kind: 'change', name: 'app' } }),
  'of an operator': aCommand({ id: 'start:smoke@now#1', origin: operator }),
  'of an operator who overrides': aCommand({
    id: 'start:smoke@now#2',
    origin: operator,
    override: { guards: ['frozen'], reason: 'x' },
  }),
  'to stop, of the watcher': aCommand({ ...stopOf('planned-stop:1'), origin: { kind: 'watcher', name: 'x' } }),
  'to start, of the watcher': aCommand({ id: 'planned-stop:2', origin: { kind: 'watcher', name: 'x' } }),
  'of an upload, with the id of a schedule': aCommand({ origin: { kind: 'upload', name: 'datasets/a.csv' } }),
} as const satisfies Readonly<Record<string, CampaignRunCommand>>;

const own: Readonly<Record<(typeof senderNames)[number], readonly (keyof typeof commands)[]>> = {
  schedules: ['of a schedule'],
  'register-datasets': ['of an upload'],
  'poll-scanner-packages': ['of changed packages'],
  'watch-projects': ['of a changed project'],
  'watch-campaigns': ['to stop, of the watcher'],
  'update-campaign-runs': ['to stop, of the watcher'],
};

const pairs = senderNames.flatMap((name) =>
  Object.entries(commands).map(([what, command]) => ({
    name,
    what,
    command,
    isOwn: own[name].some((one) => one === what),
  })),
);

test.each(pairs.filter(({ isOwn }) => isOwn))(
  'the role of $name is the proven sender of a command $what',
  async ({ name, command }) => {
    const bench = createUpdateBench();

    await bench.deliver(command, sentBy(name));

    expect(await commandOf(bench, command.id)).toMatchObject({
      sender: { id: `AROA-${name}:a-session`, isProven: true },
    });
  },
);

test.each(pairs.filter(({ isOwn }) => !isOwn))(
  'the role of $name was taken over if it sends a command $what: that is parked, and asks nothing of the gateway',
  async ({ name, command }) => {
    const bench = createUpdateBench();

    const result = await bench.deliver(command, sentBy(name));

    expect(result).toMatchObject({ kind: 'done', outcomes: [{ kind: 'parked', reason: 'BAD_MESSAGE' }] });
    expect(await commandOf(bench, command.id)).toBeUndefined();
    expect(bench.patches).toEqual([]);
  },
);

describe('the sender of a command', () => {
  test('that is no role of the stage is kept unproven, and the command is done: forms of AWS may be unknown', async () => {
    const bench = createUpdateBench();

    await bench.deliver(atTen(), { senderId: 'an unknown form' });

    expect(await commandOf(bench, atTen().id)).toMatchObject({
      sender: { id: 'an unknown form' },
      outcome: { kind: 'applied' },
    });
    expect((await commandOf(bench, atTen().id))?.sender?.isProven).toBeUndefined();
  });

  test('of the first message stays when the watcher sends a deferred start again', async () => {
    const bench = createUpdateBench({
      blackouts: [blackout('defer', '2026-11-20T21:00:00.000Z', '2026-11-21T04:00:00.000Z')],
    });
    await bench.deliver(atTen(), sentBy('schedules'));
    bench.passMs(hours(6) + minutes(1));
    const changed = { ...atTen(), override: { guards: ['gap' as const], reason: 'x' } };

    const forged = await bench.deliver({ ...changed, origin: operator }, sentBy('watch-campaigns'));
    const inFlight = await inFlightOf(bench);
    await bench.deliver(atTen(), sentBy('watch-campaigns'));

    expect(forged).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'BAD_MESSAGE' }] });
    expect(inFlight).toEqual([]);
    expect(await outcomeOf(bench, atTen().id)).toMatchObject({ kind: 'applied' });
    expect((await commandOf(bench, atTen().id))?.sender).toEqual({ id: 'AROA-schedules:a-session', isProven: true });
  });
});
