import { describe, expect, test } from 'vitest';
import type { ResolvedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { resolveRepeat } from '#operator/parked/resolve-parked.ts';
import { commandsAt, ownKinds } from '../../../builders/commands-by-sender.ts';
import { senderIdOf, senderNames, stranger } from '../../../builders/commands-by-sender.ts';
import { atTen, blackout, hours, minutes, operator, running } from './harness/guard-nights.ts';
import { aCommand, createUpdateBench, type UpdateBench } from './harness/update-bench.ts';

const sentBy = (name: string) => ({ senderId: senderIdOf(name) });
const byStranger = { senderId: stranger };

const weeknights: ResolvedSchedule = {
  name: 'weeknights',
  action: 'start',
  run: 'smoke',
  enabled: true,
  expression: 'cron(0 22 * * ? *)',
  timezone: 'UTC',
};
const schedules = [weeknights];
const tonight = '2026-11-20T22:00:00Z';
const occurrence = { name: weeknights.name, at: tonight };
const commands = commandsAt('2026-11-20T22:02:00Z', occurrence);

const isBad = { kind: 'done', outcomes: [{ kind: 'parked', reason: 'BAD_MESSAGE' }] };

/** Changes nothing at the gateway, and would end `skipped`. */
const harmless = (id: string) => aCommand({ id, action: 'stop', run: 'nightly', origin: operator });

/** The planned stop of the run in flight, parked. */
async function parkedStop(bench: UpdateBench): Promise<string> {
  const [stop] = await bench.plannedStops();
  bench.answerWith({ status: 422, text: 'no', fields: ['status'] });
  await bench.deliver(stop as CampaignRunCommand, sentBy('watch-campaigns'));
  return stop?.id ?? '';
}

const at = new Date('2026-11-20T22:06:00Z');
const repeatOf = (id: string) =>
  aCommand({ id: `${id}~2`, action: 'stop', campaignRunId: aRun, issuedAt: at.toISOString(), origin: operator });
const aRun = '018f0000-0000-7000-8000-0000000000aa';

/** A row under the id of the start, as no message can write it. */
async function shadowed(row: Partial<CommandRow>) {
  const bench = createUpdateBench({ schedules });
  const other = aCommand({ action: 'stop', run: 'nightly' });
  const outcome = { kind: 'skipped', reason: 'NOTHING_TO_STOP', at: tonight } as const;
  await bench.ledger.write<CommandRow>(undefined, { ...newCommandRow(other, bench.now()), outcome, ...row });
  return bench;
}

const pairs = senderNames.flatMap((name) =>
  Object.entries(commands).map(([what, command]) => ({ name, what, command, isOwn: ownKinds[name] === what })),
);

test.each(pairs.filter(({ isOwn }) => isOwn))(
  'the role of $name is the proven sender of a command $what',
  async ({ name, command }) => {
    const bench = createUpdateBench({ schedules });

    await bench.deliver(command, sentBy(name));

    expect(await bench.commandOf(command.id)).toMatchObject({ sender: { ...sentOf(name), isProven: true } });
  },
);

const sentOf = (name: string) => ({ id: senderIdOf(name) });

test.each(pairs.filter(({ isOwn }) => !isOwn))(
  'the role of $name was taken over if it sends a command $what: that is parked, and asks nothing of the gateway',
  async ({ name, command }) => {
    const bench = createUpdateBench({ schedules });

    const result = await bench.deliver(command, sentBy(name));

    expect(result).toMatchObject(isBad);
    expect(await bench.commandOf(command.id)).toBeUndefined();
    expect(bench.patches).toEqual([]);
  },
);

test.each([
  ['within a minute of the occurrence', { instant: '2026-11-20T22:00:59Z', lateMs: 0 }, true],
  ['that comes a day late', { instant: tonight, lateMs: hours(24) }, true],
  ['two minutes after the occurrence', { instant: '2026-11-20T22:02:00Z', lateMs: 0 }, false],
  ['of the next night, sent tonight', { instant: '2026-11-21T22:00:00Z', lateMs: -hours(24) }, false],
  ['that comes two days late', { instant: tonight, lateMs: hours(48) }, false],
])('the schedules prove a command %s: %j is %s', async (_what, { instant, lateMs }, isProven) => {
  const bench = createUpdateBench({ schedules });
  const id = commandIds.schedule('weeknights', instant);
  const sentAt = new Date(Date.parse(instant) + lateMs);

  await bench.deliver(aCommand({ id, issuedAt: instant }), { ...sentBy('schedules'), sentAt });

  expect((await bench.commandOf(id))?.sender?.isProven === true).toBe(isProven);
});

describe('a sender of which nothing is proven', () => {
  test('cancels no start of a schedule to come by a message under its id', async () => {
    const bench = createUpdateBench({ schedules });

    const first = await bench.deliver(harmless(aCommand().id), byStranger);
    await bench.deliver(aCommand(), sentBy('schedules'));

    expect(first).toMatchObject(isBad);
    expect(await bench.outcomeOf(aCommand().id)).toMatchObject({ kind: 'applied' });
  });

  test.each([commandIds.plannedStop, commandIds.end])('takes the id of no stop to come', async (idOf) => {
    const bench = await running();
    const [stop] = await bench.plannedStops();
    const own = { ...stop, id: idOf(atTen().id) } as CampaignRunCommand;

    await bench.deliver(harmless(own.id), byStranger);
    await bench.deliver({ ...own }, byStranger);
    const before = [...bench.transitions];
    await bench.deliver(own, sentBy('watch-campaigns'));

    expect(before).toEqual(['aa:starts']);
    expect(bench.transitions).toEqual(['aa:starts', 'aa:stops']);
  });

  test('counts as sent when its message was: it replaces no start of the next minutes', async () => {
    const blackouts = [blackout('defer', '2026-11-20T21:00:00.000Z', '2026-11-21T04:00:00.000Z')];
    const bench = createUpdateBench({ blackouts, schedules });
    const ahead = aCommand({ id: 'x', issuedAt: '2026-11-20T22:04:00Z', origin: operator });

    await bench.deliver(ahead, { ...byStranger, sentAt: new Date('2026-11-20T21:59:59Z') });
    await bench.deliver(aCommand(), sentBy('schedules'));

    expect(await bench.commandOf(aCommand().id)).toMatchObject({ openState: 'DEFERRED' });
  });

  test('is kept unproven, and its command under an id of its own is done: forms of AWS may be unknown', async () => {
    const bench = createUpdateBench();

    await bench.deliver(atTen(), { senderId: 'an unknown form' });

    expect(await bench.commandOf(atTen().id)).toMatchObject({
      sender: { id: 'an unknown form' },
      outcome: { kind: 'applied' },
    });
    expect((await bench.commandOf(atTen().id))?.sender?.isProven).toBeUndefined();
  });

  test('changes nothing by another command under an id that is used: that is parked, and the same one is a repeat', async () => {
    const bench = createUpdateBench();
    await bench.deliver(atTen(), byStranger);
    const row = await bench.commandOf(atTen().id);

    const other = await bench.deliver(harmless(atTen().id), byStranger);
    const same = await bench.deliver(atTen(), byStranger);

    expect(other).toMatchObject(isBad);
    expect(same).toEqual({ kind: 'done', outcomes: [] });
    expect(await bench.commandOf(atTen().id)).toEqual(row);
  });
});

describe('a person who repeats a parked stop of the stage', () => {
  test('has it done under `~2`, as the row says; nothing else is done under that id', async () => {
    const bench = await running();
    const id = await parkedStop(bench);
    const unsaid = await bench.deliver(repeatOf(id), byStranger);
    const row = await bench.commandOf(id);
    const resolved = row && resolveRepeat(row, { by: 'ann', reason: 'x', at });
    if (resolved?.ok !== true) throw new Error('the stop is not parked');
    await bench.ledger.write(row, resolved.row);
    const { startId: _startId, ...command } = resolved.row.command;

    const other = await bench.deliver(repeatOf(id), byStranger);
    const before = [...bench.transitions];
    await bench.deliver({ ...command, id: `${id}~2`, issuedAt: at.toISOString() }, byStranger);

    expect([unsaid, other]).toMatchObject([isBad, isBad]);
    expect(before).toEqual(['aa:starts']);
    expect(bench.transitions).toEqual(['aa:starts', 'aa:stops']);
  });
});

describe('a proven command', () => {
  test('whose id another one has is done in a row of its own, once, and the other row stays', async () => {
    const bench = await shadowed({});
    const before = await bench.commandOf(aCommand().id);

    await bench.deliver(aCommand(), sentBy('schedules'));
    await bench.deliver(aCommand(), sentBy('schedules'));

    expect(await bench.commandOf(aCommand().id)).toEqual(before);
    expect(await bench.outcomeOf(commandIds.apart(aCommand().id))).toMatchObject({ kind: 'applied' });
    expect(bench.transitions).toEqual(['aa:starts']);
  });

  test('whose id a proven one has is its repeat, though the words differ', async () => {
    const bench = await shadowed({ sender: { id: senderIdOf('schedules'), isProven: true } });

    await bench.deliver(aCommand(), sentBy('schedules'));

    expect(bench.transitions).toEqual([]);
  });
});

describe('the sender of a command', () => {
  test('of the first message stays when the watcher sends a deferred start again', async () => {
    const bench = createUpdateBench({
      schedules,
      blackouts: [blackout('defer', '2026-11-20T21:00:00.000Z', '2026-11-21T04:00:00.000Z')],
    });
    await bench.deliver(aCommand(), sentBy('schedules'));
    bench.passMs(hours(6) + minutes(1));
    const changed = { ...aCommand(), override: { guards: ['gap' as const], reason: 'x' } };

    const forged = await bench.deliver({ ...changed, origin: operator }, sentBy('watch-campaigns'));
    const inFlight = await bench.inFlight();
    await bench.deliver(aCommand(), sentBy('watch-campaigns'));

    expect(forged).toMatchObject(isBad);
    expect(inFlight).toEqual([]);
    expect(await bench.outcomeOf(aCommand().id)).toMatchObject({ kind: 'applied' });
    expect((await bench.commandOf(aCommand().id))?.sender).toEqual({ ...sentOf('schedules'), isProven: true });
  });

  test('of a row that another function made up is not the watcher: its start is parked, at any stage of it', async () => {
    const bench = createUpdateBench();
    const command = { ...atTen(), origin: operator, override: { guards: ['frozen' as const], reason: 'x' } };
    const made = { ...newCommandRow(command, bench.now()), attempt: { crashes: 0, since: '', tries: 1 } };
    await bench.ledger.write(undefined, { ...made, deferred: { from: '', until: '', blackout: 'x' } });

    const result = await bench.deliver(command, sentBy('watch-campaigns'));

    expect(result).toMatchObject(isBad);
    expect(bench.patches).toEqual([]);
  });
});
