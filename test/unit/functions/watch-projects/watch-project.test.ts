import { describe, expect, test } from 'vitest';
import { openGate } from '#functions/_gateway/gate.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { ConfigMissingError } from '#shared/changes/read-config.ts';
import { BadStatusError } from '#shared/gateway-client/index.ts';
import { aRunInFlight, targetRow } from '../../../builders/run-rows.ts';
import { failing, statusError } from '../../../builders/ports.ts';
import { readRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { checkCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aConfig, anEntry, aWatch, baselined, createProjectBench } from './project-bench.ts';

const updated = aConfig({ scanners: [anEntry('s1', { version: '2026-02' })] });
const versionRule = { match: { field: 'scanners.*.version' }, start: 'nightly' };

const refusing = (status: number) => failing(statusError(status));

describe('a look at a project', () => {
  test('is a baseline the first time: nothing is reported, nothing is started', async () => {
    const bench = createProjectBench();

    const answer = await bench.tick();

    expect(answer).toMatchObject({ summary: 'first look, nothing to compare with yet', isBaseline: true, changes: 0 });
    expect(bench.events).toEqual([]);
    expect(bench.commands).toEqual([]);
    expect(await bench.row()).toMatchObject({ look: { project: 'chat-app', at: '2026-11-21T22:00:00.000Z' } });
  });

  test('finds nothing new if nothing is, with one request', async () => {
    const bench = await baselined();

    const answer = await bench.tick();

    expect(answer.summary).toBe('nothing changed');
    expect(bench.events).toEqual([]);
    expect(bench.asked).toEqual(['now', 'now']);
  });

  test('tells a new version of a scanner in words, and starts the run of the rule that names it', async () => {
    const bench = await baselined(aWatch({ onChange: [versionRule] }));
    bench.configure(updated);

    const answer = await bench.tick();

    expect(answer.summary).toBe('1 change (scanners.s1.version: 2026-01 → 2026-02), start of nightly sent');
    expect(bench.events).toEqual([
      {
        type: 'ProjectChanged',
        eventId: expect.stringMatching(/^2026-11-22T22:00:00\.000Z-[0-9a-f]{8}$/),
        watch: 'projects.chat-app',
        project: { id: '019ba000-0000-7000-8000-000000000101', name: 'chat-app' },
        from: '2026-11-21T22:00:00.000Z',
        to: '2026-11-22T22:00:00.000Z',
        count: 1,
        changes: [{ kind: 'changed', field: 'scanners.s1.version', before: '2026-01', after: '2026-02' }],
        difference: ['scanners.s1.version: 2026-01 → 2026-02'],
        starts: ['nightly'],
      },
    ]);
    expect(bench.commands).toEqual([
      {
        version: 1,
        id: `change:projects.chat-app:${bench.events[0]?.eventId}:nightly`,
        action: 'start',
        run: 'nightly',
        issuedAt: '2026-11-22T22:00:00.000Z',
        origin: { kind: 'change', name: 'projects.chat-app' },
        reason: 'scanners.s1.version: 2026-01 → 2026-02',
      },
    ]);
    expect(bench.counted).toContainEqual({ metric: 'ProjectChanges', value: 1 });
    expect(await readRecentOutcomes(bench.ledger)).toMatchObject([
      { worker: 'watch-projects', subject: 'projects.chat-app', detail: expect.stringContaining('2026-02') },
    ]);
    expect(bench.logged.slice(1).map(({ event }) => event)).toEqual(['command_sent', 'project_looked', 'change_set']);
  });
});

describe('a gateway that does not look back', () => {
  test('and answers configAt with what is now is found out: the change is told, without the value before', async () => {
    const bench = await baselined();
    bench.configure(updated);
    const { getProject } = bench.gateway;

    await bench.tick({ deps: { gateway: { ...bench.gateway, getProject: ({ project }) => getProject({ project }) } } });

    expect(bench.events[0]).toMatchObject({ difference: ['scanners.s1.version: changed to 2026-02'] });
    expect(bench.startIds()).toHaveLength(1);
  });

  test('and refuses configAt loses the value before and nothing else', async () => {
    const bench = await baselined();
    bench.configure(updated);
    const { getProject } = bench.gateway;
    const unwilling = {
      ...bench.gateway,
      getProject: async (input: Parameters<typeof getProject>[0]) => {
        if (input.configAt !== undefined) throw statusError(422);
        return getProject(input);
      },
    };

    await bench.tick({ deps: { gateway: unwilling } });

    expect(bench.events[0]).toMatchObject({ difference: ['scanners.s1.version: changed to 2026-02'] });
    expect(bench.logged).toContainEqual(expect.objectContaining({ level: 'warn', event: 'config_at_unread' }));
  });
});

describe('nothing is concluded', () => {
  test('at a closed gate: the tick ends saying so, and asks nothing', async () => {
    const bench = await baselined();
    bench.configure(updated);

    const answer = await bench.tick({ deps: { gate: { ...openGate, waitMs: async () => 60_000 } } });

    expect(answer).toMatchObject({
      summary: 'no worker calls the gateway at the moment; a later tick looks',
      isUnfinished: true,
    });
    expect(bench.asked).toEqual(['now']);

    await bench.tick();
    expect(bench.events).toHaveLength(1);
  });

  test('if the gateway asks for a pause, which is told to the gate and no error', async () => {
    const bench = await baselined();
    const told: unknown[] = [];
    const gate = { ...openGate, failed: async (verdict: unknown) => void told.push(verdict) };
    const getProject = refusing(429);

    const answer = await bench.tick({ deps: { gate, gateway: { ...bench.gateway, getProject } } });

    expect(answer.summary).toBe('the gateway asked for a pause; a later tick looks');
    expect(told).toMatchObject([{ pauseMs: expect.any(Number) }]);
  });

  test('if the read fails: the error escapes, and the next tick compares with the same look', async () => {
    const bench = await baselined();
    bench.configure(updated);
    const getProject = refusing(500);

    await expect(bench.tick({ deps: { gateway: { ...bench.gateway, getProject } } })).rejects.toBeInstanceOf(
      BadStatusError,
    );
    await bench.tick();

    expect(bench.events).toMatchObject([{ from: '2026-11-21T22:00:00.000Z', to: '2026-11-23T22:00:00.000Z' }]);
  });

  test.each([[null], [{}], [{ packages: null, scanners: null, providers: null }]])(
    'from a project whose configuration is %j, at the first look or later',
    async (nothing) => {
      const first = createProjectBench(aWatch(), nothing);
      const later = await baselined();
      later.configure(nothing);

      await expect(first.tick()).rejects.toBeInstanceOf(ConfigMissingError);
      await expect(later.tick()).rejects.toBeInstanceOf(ConfigMissingError);

      expect((await first.row())?.look).toBeUndefined();
      expect(later.events).toEqual([]);
    },
  );

  test('of a list that is not there, and it is compared again once it is', async () => {
    const bench = await baselined();
    bench.configure(aConfig({ scanners: null }));
    await bench.tick();
    bench.configure(updated);

    await bench.tick();

    expect(bench.events).toMatchObject([{ changes: [{ kind: 'changed', field: 'scanners.s1.version' }] }]);
  });

  test('of a configuration that no row of the ledger can hold, and it is said', async () => {
    const scanners = Array.from({ length: 3000 }, (_, index) => anEntry(`019ba000-0000-7000-8000-${index}`));
    const bench = createProjectBench(aWatch(), aConfig({ scanners }));

    await expect(bench.tick()).rejects.toMatchObject({ code: 'PROJECT_TOO_LARGE' });
  });
});

test('a change of hundreds of entries with hostile names is an event that the bus takes, and a command that the queue takes', async () => {
  const bench = await baselined();
  const names = Array.from({ length: 600 }, (_, index) => `${index}\u0000\n\ud800${'😀'.repeat(5000)}`);
  const scanners = names.map((name) => anEntry(name, { mode: name }));
  bench.configure(aConfig({ scanners }));
  await bench.tick();
  bench.configure(aConfig({ scanners: scanners.map((scanner) => ({ ...scanner, mode: 'block' })) }));

  const answer = await bench.tick();

  expect(bench.events).toMatchObject([{ count: 601 }, { count: 600, changes: { length: 50 } }]);
  for (const event of bench.events) {
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(200_000);
    expect(JSON.stringify(event)).not.toMatch(/\\u0000|\\n|\\ud800/);
  }
  expect(bench.commands.map((command) => checkCampaignRunCommand(command, bench.now()))).toMatchObject([
    { ok: true },
    { ok: true },
  ]);
  expect(answer.summary.length).toBeLessThan(500);
});

test('while the stage observes, the look is as always, on a row of its own, and runs are those that would have run', async () => {
  const bench = await baselined(aWatch({ onChange: [] }));
  await bench.startRun('nightly', bench.now());
  const observed = createMemoryLedger();
  await bench.tick({ deps: { ledger: observed } });
  const times = { due: bench.now().toISOString(), endsAt: '2026-11-23T22:00:00.000Z' };
  await observed.write(undefined, targetRow(aRunInFlight({ campaignRunId: 'would-be', run: 'smoke', ...times })));
  bench.configure(updated);

  const answer = await bench.tick({ deps: { ledger: observed } });

  expect(answer).toMatchObject({ changes: 1, notComparable: ['would-be'] });
  expect((await bench.row())?.look?.at).toBe('2026-11-21T22:00:00.000Z');
});
