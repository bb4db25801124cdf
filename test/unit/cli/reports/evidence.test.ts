import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nightlyIds, smokeIds, aCommand } from '../../functions/update-campaign-runs/harness/update-bench.ts';
import { aNight, aProject, createEvidenceBench } from '../../operator/evidence-bench.ts';
import { folderOfTest } from '../../../builders/test-folder.ts';

const hourMs = 3_600_000;
const operator = { kind: 'operator', name: 'grace' } as const;
const uuid = nightlyIds[0];

describe('who, why and how', () => {
  test('the start, each guard, the stop and the versions of a night stand in one document', async () => {
    const { evidence, endNight, passMs } = await aNight();
    passMs(4 * hourMs);
    await endNight();

    const { text, data } = await evidence('nightly');

    expect(data).toMatchObject({
      run: {
        run: 'nightly',
        campaignRunId: uuid,
        state: 'stopped',
        says: 'stopped 02:00 by operator grace',
        startAt: '2026-11-20T22:01:01.000Z',
        endedAt: '2026-11-21T02:00:02.000Z',
      },
      campaign: 'chat-bot',
      start: {
        command: { id: 'start-1', askedBy: { kind: 'schedule', name: 'weeknights' }, askedBecause: 'CHG-1' },
      },
      between: [],
      course: { comparable: 'unknown' },
    });
    expect(data.start.verdicts?.map(({ guard, verdict }) => `${guard} ${verdict}`)).toContain('overlap apply');
    expect(text).toContain('| Reason | CHG-1 |');
    expect(text).toContain('nothing shows whether it was complete; project and campaign stayed the same');
  });

  test('a guard that an operator overrode stands there with the reason', async () => {
    const bench = createEvidenceBench();
    await bench.send({ id: 'first' });
    const override = { guards: ['overlap' as const], reason: 'INC-77: proof that it is over' };
    await bench.send({ id: 'second', run: 'smoke', origin: operator, override });

    const { text } = await bench.evidence('second');

    expect(text).toContain('| Override | of overlap: INC-77: proof that it is over |');
    expect(text).toMatch(/\| overlap \| is another run .*\| \*\*overridden\*\* \| /);
  });

  test('a start that a guard skipped has its verdict, no run, and asks the gateway for nothing', async () => {
    const bench = createEvidenceBench();
    await bench.send({ id: 'first' });
    await bench.send({ id: 'second', run: 'smoke' });

    const { text, data } = await bench.evidence('second');

    expect(data.course).toBeUndefined();
    expect(data.start).toMatchObject({ command: { outcome: 'skipped', reason: 'OVERLAP' } });
    expect(text).toContain('| State | skipped OVERLAP: a run of this campaign is in flight |');
    expect(text).toContain('| Began | **no** |');
    expect(text).toMatch(/\| overlap \| .* \| \*\*skip\*\* \| nightly counts as in flight since/);
    expect(bench.asked).toEqual([]);
  });

  test('a stage that only observes has sent nothing, and the document says so', async () => {
    const { evidence, asked } = await aNight({ mode: 'observe' });

    const { text, data } = await evidence('nightly');

    expect(data.start).toMatchObject({ command: { isObserved: true } });
    expect(text).toContain('| State | would have begun 22:01; the stage only observes |');
    expect(asked).toEqual([]);
  });

  test('words of others are words, and never a part of the document', async () => {
    const bench = createEvidenceBench();
    await bench.send({ reason: '| x |\n# Guards\n**ok** <b>[a](b)` ' });

    const { text } = await bench.evidence('nightly');

    expect(text).toContain(String.raw`| Reason | &#124; x &#124;\\n\# Guards\\n\*\*ok\*\* &lt;b&gt;\[a\](b)\`  |`);
    expect(text.match(/^#+ Guards$/gm)).toHaveLength(1);
  });
});

describe('start and stop', () => {
  test('a run without a stop is in flight, and its end decides whether it compares', async () => {
    const { evidence, passMs } = await aNight();
    passMs(90_000);

    const { text } = await evidence('nightly');

    expect(text).toContain(
      '| Began | **not known**: nothing shows that it began |\n| Planned for | 2026-11-20T22:01:01.000Z |',
    );
    expect(text).toContain('| 2026-11-21T06:00:01.000Z | its planned stop (to come) |');
    expect(text).toContain('**not known**: it has not ended; project and campaign stayed the same');
  });

  test('a run whose stop was due two hours ago does not count as in flight until then: its stop is overdue', async () => {
    const { evidence, passMs } = await aNight();
    passMs(10 * hourMs);

    expect((await evidence('nightly')).text).toContain('| State | its stop was due 06:00: late by 2 h |');
  });

  test('a stop that came after it was due is late', async () => {
    const { evidence, endNight, passMs } = await aNight();
    passMs(9 * hourMs);
    await endNight();

    expect((await evidence('nightly')).text).toContain('| State | stopped 07:00 by operator grace, 1 h late |');
  });

  test('each start of a run has an id of its own, and its own end', async () => {
    const bench = createEvidenceBench();
    await bench.send({ id: 'start-1', run: 'smoke' });
    await bench.send({ id: 'stop-1', run: 'smoke', action: 'stop' });
    await bench.send({ id: 'start-2', run: 'smoke' });
    await bench.send({ id: 'stop-2', run: 'smoke', action: 'stop' });

    const first = await bench.evidence('start-1');
    const latest = await bench.evidence('smoke');
    const ofId = await bench.evidence(smokeIds[0] ?? '');

    expect(first.data.run).toMatchObject({ campaignRunId: smokeIds[0], endedAt: '2026-11-20T22:00:02.000Z' });
    expect(latest.data.run).toMatchObject({ campaignRunId: smokeIds[1], endedAt: '2026-11-20T22:00:04.000Z' });
    expect(ofId.data.start.command.id).toBe('start-1');
  });

  test('a stop by name that ended several runs is the end of each', async () => {
    const bench = createEvidenceBench({ nightly: { guards: { target: 'chat-bot', overlap: 'allow' } } });
    await bench.send({ id: 'start-1' });
    await bench.send({ id: 'start-2' });
    await bench.send({ id: 'stop-all', action: 'stop' });

    for (const start of ['start-1', 'start-2']) {
      expect((await bench.evidence(start)).data.run).toMatchObject({ endedAt: '2026-11-20T22:00:03.000Z' });
    }
  });

  test('what was asked for meanwhile is told, and nothing that came before or after', async () => {
    const { send, evidence, endNight, answerWith } = await aNight();
    await send({ id: 'again', origin: operator, run: 'smoke' });
    const refused = { action: 'stop', campaignRunId: uuid, origin: operator } as const;
    answerWith({ status: 422, text: 'no', fields: ['status'] });
    await send({ id: 'refused', ...refused, run: undefined });
    await endNight();
    await send({ id: 'later', ...refused, run: undefined });

    const { text, data } = await evidence('nightly');

    expect(data.between.map(({ id }) => id)).toEqual(['refused']);
    expect(text).toContain('stop: parked (VALIDATION), requested by operator grace');
  });

  test('a run whose hour has not come has not begun yet; from then on it has', async () => {
    const { send, evidence, passMs } = createEvidenceBench();
    await send({ id: 'start-1', startDelay: 'PT15M' });

    const before = await evidence('nightly');
    passMs(15 * 60_000);
    const after = await evidence('nightly');

    expect(before.data.course).toBeUndefined();
    expect(before.text).toContain('| State | begins 22:15, stops 06:15 |');
    expect(after.data).toMatchObject({ begun: 'unknown', course: { comparable: 'unknown' } });
    expect(after.text).toContain('| State | runs since 22:15, as the gateway accepted, stops 06:15 |');
  });

  test('a start that was sent and never answered is told as that', async () => {
    const bench = createEvidenceBench();
    bench.answerWith('lost');
    await bench.send({ id: 'start-1' });
    bench.passMs(2 * hourMs);
    // Too late by now: it is ended, and then it has its outcome.
    await bench.deliver(JSON.stringify(startOf('start-1')));
    const late = await bench.evidence('nightly');
    for (const end of bench.sent.splice(0)) await bench.deliver(end);
    await bench.deliver(JSON.stringify(startOf('start-1')));

    const { text, data } = await bench.evidence('nightly');

    expect(late.data).toMatchObject({ begun: 'unknown', start: { command: { outcome: 'under way' } } });
    expect(data.start.command).toMatchObject({ outcome: 'skipped', reason: 'MISSED_WINDOW' });
    expect(data).toMatchObject({ begun: 'unknown', run: { state: 'stopped', startAt: '2026-11-20T22:01:01.000Z' } });
    expect(data.course?.project).toMatchObject({ at: '2026-11-20T22:01:01.000Z' });
    expect(text).toContain(
      '| Began | **not known**: nothing shows that it began |\n| Planned for | 2026-11-20T22:01:01.000Z |',
    );
  });
});

const startOf = (id: string) => ({
  version: 1,
  id,
  action: 'start',
  run: 'nightly',
  issuedAt: '2026-11-20T22:00:01.000Z',
  origin: { kind: 'schedule', name: 'weeknights' },
});

describe('drift', () => {
  test('a scanner that moved while the run was in flight makes it not comparable, and one that moved later does not', async () => {
    const { evidence, endNight, passMs, configureProject } = await aNight();
    passMs(hourMs);
    configureProject(aProject('2026-02', { packages: [{ id: 'p1', version: '3' }] }));
    passMs(hourMs);
    await endNight();
    passMs(1000);
    configureProject(aProject('2026-03'));

    const { data } = await evidence('nightly');

    const version = 'scanners.019ba000-0000-7000-8000-000000000701.version: 2026-01 → 2026-02';
    expect(data.course?.project).toMatchObject({
      drift: { kind: 'changed', difference: ['packages.p1: added', version] },
    });
    expect(data.course?.comparable).toBe('no');
  });

  test('a campaign whose attacks changed makes it not comparable too; its counters change nothing', async () => {
    const { evidence, passMs, configureCampaign } = await aNight();
    passMs(hourMs);
    configureCampaign({ attacks: [{ name: 'Role play' }, 'Encoded payload'], runCount: 99 });
    passMs(hourMs);

    const { text, data } = await evidence('nightly');

    expect(data.course?.campaign).toMatchObject({ drift: { difference: ['attacks.Encoded payload: added'] } });
    expect(text).toContain('**no**: the campaign changed while it ran');
  });

  test('a gateway that takes no notice of configAt proves nothing', async () => {
    const { evidence, asked, passMs } = await aNight({ gateway: 'ignores' });
    passMs(90_000);

    const { text, data } = await evidence('nightly');

    expect(data.course).toMatchObject({ comparable: 'unknown', project: { drift: { kind: 'unknown' } } });
    expect(text).toContain('nothing proves that the project and the campaign stayed the same');
    expect(text).toContain('The gateway answers the same for a time before this was created');
    expect(asked.filter(({ of }) => of === 'project').map(({ configAt }) => configAt)).toEqual([
      '2026-11-20T22:01:01.000Z',
      '2026-11-20T22:01:31.000Z',
      '2026-01-05T07:59:59.000Z',
    ]);
  });

  test('a gateway that refuses configAt leaves the versions unknown, and says why', async () => {
    const { evidence, passMs } = await aNight({ gateway: 'refuses' });
    passMs(90_000);

    const { text } = await evidence('nightly');

    expect(text).toContain('| Scanners | **not known**: GET project was answered 422 |');
  });

  test('a list that the gateway does not show is not taken for one that stayed the same', async () => {
    const { evidence, passMs, configureProject } = await aNight();
    passMs(hourMs);
    configureProject(aProject('2026-01', { scanners: null }));
    passMs(hourMs);

    const { text, data } = await evidence('nightly');

    expect(data.course?.comparable).toBe('unknown');
    expect(text).toContain('The gateway does not show its scanners.');
  });

  test('nothing of a configuration is told that the interface does not name', async () => {
    const { evidence } = await aNight();

    const { text, data } = await evidence('nightly');

    expect(text + JSON.stringify(data)).not.toMatch(/sk-secret|apiKey/);
  });
});

describe('which start', () => {
  test('one that was never answered is found before it has its outcome, and counts as a start', async () => {
    const bench = createEvidenceBench();
    bench.answerWith('lost');
    await bench.send({ id: 'start-1' });

    const { text, data } = await bench.evidence('nightly');

    expect(data).toMatchObject({
      start: { command: { id: 'start-1', outcome: 'under way' } },
      run: { state: 'unanswered', startAt: '2026-11-20T22:01:01.000Z' },
    });
    expect(text).toContain('| State | asked 22:00, ');
  });

  test('the latest that was sent, whatever was skipped since', async () => {
    const { evidence, send } = await aNight();
    await send({ id: 'start-2' });

    expect((await evidence('nightly')).data.start.command.id).toBe('start-1');
  });

  test.each([
    [['weekly'], /no start of weekly is on record/],
    [['stop-1'], /stop-1 is the stop of a run: autopilot evidence 018f/],
  ])('refuses %j', async (argv, message) => {
    const { evidence, endNight } = await aNight();
    await endNight();

    await expect(evidence(...argv)).rejects.toThrow(message);
  });
});

test('--out writes for its owner alone, not through a link, and says what cannot be written', async () => {
  const folder = folderOfTest();
  const [file, link] = [join(folder, 'nightly.md'), join(folder, 'link.md')];
  writeFileSync(file, 'older and longer'.repeat(500), { mode: 0o644 });
  symlinkSync(file, link);
  const { evidence } = await aNight();
  const { text } = await evidence('nightly');

  const written = await evidence('nightly', '--out', file);

  expect(written.text).toBe(`evidence of start-1 written to ${file}`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toBe(`${text.trimEnd()}\n`);
  await expect(evidence('nightly', '--out', link)).rejects.toThrow('cannot be written (it is a link)');
  const nowhere = evidence('nightly', '--out', join(folder, 'no', 'where.md'));
  await expect(nowhere).rejects.toThrow(/no.where\.md cannot be written/);
});

test('a start that was refused first names the request that began its run, the attempts and the error before', async () => {
  const bench = createEvidenceBench();
  bench.answerWith({ status: 429, text: 'busy' }, 'ok');
  const start = aCommand({ id: 'start-1', run: 'nightly', issuedAt: bench.now().toISOString() });
  await bench.deliver(start);
  bench.passMs(60_000);
  await bench.deliver(start, { receiveCount: 2 });

  const { text } = await bench.evidence('nightly');

  expect(text).toMatch(
    /\| Request \| `attempt-\d+` \(the header x-request-id\), 2 attempts until the outcome; the last error before it: .*busy/,
  );
});
