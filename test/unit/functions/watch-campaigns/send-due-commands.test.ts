import { expect, test } from 'vitest';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aDeferredStart, aStart, createWatchBench, minute } from './watch-bench.ts';

const freezeEnds = '2027-01-04T00:00:00.000Z';

test('leaves a start alone while its blackout lasts, and says until when', async () => {
  const bench = createWatchBench();
  await bench.put(aDeferredStart());
  bench.setNow('2027-01-03T23:59:59.999Z');

  const answer = await bench.tick();

  expect(bench.sent).toEqual([]);
  expect(answer).toMatchObject({
    summary: `no runs in flight, no stops due; nightly deferred until ${freezeEnds} (year-end freeze)`,
    deferred: [{ run: 'nightly', until: freezeEnds, blackout: 'year-end freeze', isOver: false }],
  });
});

test('sends it as it was once the blackout is over, a command that the worker takes', async () => {
  const bench = createWatchBench();
  await bench.put(aDeferredStart());
  bench.setNow(freezeEnds);

  await bench.tick();

  expect(bench.sent).toEqual([aStart()]);
  expect(parseCampaignRunCommand(JSON.stringify(bench.sent[0]), bench.now())).toMatchObject({ ok: true });
  expect(bench.linesOf('command_sent')).toMatchObject([
    { level: 'info', sentence: 'start of nightly sent: the blackout year-end freeze is over' },
  ]);
});

test('does not send one that has its outcome, though the index has not heard of it', async () => {
  const bench = createWatchBench();
  await bench.put(aDeferredStart({ outcome: { kind: 'applied', at: freezeEnds } }));
  bench.setNow('2027-01-04T00:01:00.000Z');

  await bench.tick();

  expect(bench.sent).toEqual([]);
});

test('one that the next blackout defers again is sent at the end of that one, at once', async () => {
  const bench = createWatchBench();
  await bench.put(aDeferredStart());
  bench.setNow(freezeEnds);
  await bench.tick();
  const until = '2027-01-04T00:30:00.000Z';
  await bench.put(aDeferredStart({ deferred: { from: freezeEnds, until, blackout: 'backup' } }));

  await bench.tickFor(29 * minute);
  expect(bench.sent).toHaveLength(1);
  await bench.tickFor(minute);

  expect(bench.sent).toHaveLength(2);
});

test('one that a worker still tries is sent again only an hour after its last try', async () => {
  const bench = createWatchBench();
  await bench.put(aDeferredStart());
  bench.setNow(freezeEnds);
  await bench.tick();
  const nextTryAt = '2027-01-04T00:30:00.000Z';
  await bench.put(aDeferredStart({ attempt: { crashes: 0, since: freezeEnds, tries: 9, nextTryAt } }));

  await bench.tickFor(89 * minute);
  expect(bench.sent).toHaveLength(1);
  await bench.tickFor(minute);

  expect(bench.sent).toHaveLength(2);
});

test('does not send one that was deferred again, though the index has not heard of it', async () => {
  const bench = createWatchBench();
  const stale = await bench.ledger.write(undefined, aDeferredStart());
  if (stale === undefined) throw new Error('not written');
  await bench.put(
    aDeferredStart({ deferred: { from: freezeEnds, until: '2027-01-04T00:30:00.000Z', blackout: 'backup' } }),
  );
  bench.setNow(freezeEnds);
  const listOpen: typeof bench.ledger.listOpen = async (state) => ({ items: state === 'DEFERRED' ? [stale] : [] });

  await bench.tick({ ledger: { ...bench.ledger, listOpen } });

  expect(bench.sent).toEqual([]);
});

test('one that cannot be sent keeps no other from being sent, and the tick fails', async () => {
  const bench = createWatchBench();
  await bench.put(aDeferredStart({ id: 'bad', command: aStart({ id: 'bad' }) }));
  await bench.put(aDeferredStart());
  bench.setNow(freezeEnds);
  const send = async (body: string) => {
    if (body.includes('"bad"')) throw new Error('too long');
    bench.sent.push(JSON.parse(body));
  };

  await expect(bench.tick({ commands: { send } })).rejects.toThrow('too long');
  await expect(bench.tick({ commands: { send } })).rejects.toThrow('too long');

  expect(bench.sent).toEqual([aStart()]);
});
