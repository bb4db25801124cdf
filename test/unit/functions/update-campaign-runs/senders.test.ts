import { describe, expect, test } from 'vitest';
import { newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { commandsAt, ownKinds } from '../../../builders/commands-by-sender.ts';
import { atTen, blackout, hours, minutes, operator } from './harness/guard-nights.ts';
import { aCommand, createUpdateBench, senderNames } from './harness/update-bench.ts';

const sentBy = (name: string) => ({ senderId: `AROA-${name}:a-session` });

const commands = commandsAt(aCommand().issuedAt);

const pairs = senderNames.flatMap((name) =>
  Object.entries(commands).map(([what, command]) => ({
    name,
    what,
    command,
    isOwn: ownKinds[name] === what,
  })),
);

test.each(pairs.filter(({ isOwn }) => isOwn))(
  'the role of $name is the proven sender of a command $what',
  async ({ name, command }) => {
    const bench = createUpdateBench();

    await bench.deliver(command, sentBy(name));

    expect(await bench.commandOf(command.id)).toMatchObject({
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
    expect(await bench.commandOf(command.id)).toBeUndefined();
    expect(bench.patches).toEqual([]);
  },
);

describe('the sender of a command', () => {
  test('that is no role of the stage is kept unproven, and the command is done: forms of AWS may be unknown', async () => {
    const bench = createUpdateBench();

    await bench.deliver(atTen(), { senderId: 'an unknown form' });

    expect(await bench.commandOf(atTen().id)).toMatchObject({
      sender: { id: 'an unknown form' },
      outcome: { kind: 'applied' },
    });
    expect((await bench.commandOf(atTen().id))?.sender?.isProven).toBeUndefined();
  });

  test('of the first message stays when the watcher sends a deferred start again', async () => {
    const bench = createUpdateBench({
      blackouts: [blackout('defer', '2026-11-20T21:00:00.000Z', '2026-11-21T04:00:00.000Z')],
    });
    await bench.deliver(atTen(), sentBy('schedules'));
    bench.passMs(hours(6) + minutes(1));
    const changed = { ...atTen(), override: { guards: ['gap' as const], reason: 'x' } };

    const forged = await bench.deliver({ ...changed, origin: operator }, sentBy('watch-campaigns'));
    const inFlight = await bench.inFlight();
    await bench.deliver(atTen(), sentBy('watch-campaigns'));

    expect(forged).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'BAD_MESSAGE' }] });
    expect(inFlight).toEqual([]);
    expect(await bench.outcomeOf(atTen().id)).toMatchObject({ kind: 'applied' });
    expect((await bench.commandOf(atTen().id))?.sender).toEqual({ id: 'AROA-schedules:a-session', isProven: true });
  });

  test('of a row that another function made up is not the watcher: its start is parked, at any stage of it', async () => {
    const bench = createUpdateBench();
    const command = { ...atTen(), origin: operator, override: { guards: ['frozen' as const], reason: 'x' } };
    const made = { ...newCommandRow(command, bench.now()), attempt: { crashes: 0, since: '', tries: 1 } };
    await bench.ledger.write(undefined, { ...made, deferred: { from: '', until: '', blackout: 'x' } });

    const result = await bench.deliver(command, sentBy('watch-campaigns'));

    expect(result).toMatchObject({ outcomes: [{ kind: 'parked', reason: 'BAD_MESSAGE' }] });
    expect(bench.patches).toEqual([]);
  });
});
