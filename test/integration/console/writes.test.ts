import { validateHeaderValue } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import { type FindingRow, withFinding } from '#shared/ledger/results/finding-row.ts';
import { readSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import type { DryRunAnswer, ParkedAnswer, ResolveAnswer, SentUploadAnswer, SwitchAnswer } from '#console/api-work.ts';
import { decodeMetadataText } from '#functions/register-datasets/dataset-request.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { writeKinds } from '#console/api.ts';
import { appliedStart, exampleDeps } from '../../golden/example-stage.ts';
import { parkedCommand, parkedMessage, parkedUpload } from '../../unit/operator/parked-fixtures.ts';
import { codeOf, openTab, post, startTestConsole, type Tab, type TestConsole } from './harness/test-console.ts';

const uploading = { path: '/api/stages/:stage/uploads', send: async (tab: Tab) => sendFile(tab, 'datasets/new.csv') };

/** What each kind of `--allow` adds, and a request to it that changes something. */
const writes = {
  'upload-and-start': uploading,
  upload: uploading,
  resolve: { path: '/api/stages/:stage/parked/resolve', send: async (tab: Tab) => resolve(tab, await dryRun(tab)) },
  switch: { path: '/api/stages/:stage/switches', send: async (tab: Tab) => post(tab, `${ofStage}/switches`, thaw) },
  stop: { path: '/api/stages/:stage/stops', send: async (tab: Tab) => stop(tab, appliedStart) },
} as const;

const stop = async (tab: Tab, ...startIds: readonly string[]) =>
  post(tab, `${ofStage}/stops`, { startIds, because: 'INC-7' });

const thaw = { action: 'thaw', because: 'INC-77 is over' };
const message = parkedMessage().pk;
const ofStage = '/api/stages/local';

async function sendFile(tab: Tab, key: string, more = '&because=CHG-9'): Promise<Response> {
  const path = `${ofStage}/uploads?key=${encodeURIComponent(key)}${more}`;
  return tab(path, { method: 'POST', body: 'prompt,label\nhello,1\n' });
}

/** The rows that a dry run names for one reason, as `resolve` takes them back. */
async function dryRun(tab: Tab, reason = 'BAD_MESSAGE') {
  const answer = await post(tab, `${ofStage}/parked/dry-run`, { rows: { reason }, decision: 'dismiss' });
  const { todo } = (await answer.json()) as DryRunAnswer;
  return todo.map(({ row, version }) => ({ row, version }));
}

async function resolve(tab: Tab, rows: readonly object[], more: object = {}): Promise<Response> {
  return post(tab, `${ofStage}/parked/resolve`, { rows, decision: 'dismiss', because: 'CHG-9', ...more });
}

/** What a write would have changed: the switch, the parked rows, and the uploads of the stage. */
async function stateOf({ stage }: OperatorDeps) {
  const ledger = await stage.ledger();
  const rows = [
    message,
    parkedUpload().pk,
    parkedCommand().pk,
    ledgerKeys.upload('bucket', 'datasets/new.csv', 'version-1'),
  ];
  return {
    frozen: await readSwitch(ledger, stageSwitch),
    rows: await Promise.all(rows.map(async (pk) => ledger.read(pk))),
  };
}

/** The stage of the example as one in AWS. */
async function deployedDeps(): Promise<OperatorDeps> {
  return { ...(await exampleDeps()), target: { kind: 'aws', stage: 'prod', region: 'eu-west-1' } };
}

/** The answer of a stage whose rules start nothing. */
const noRules = async () => ({ payload: JSON.stringify({ datasetRules: [{ prefix: 'datasets/', check: 'none' }] }) });

/** The stage of the example, with a rule whose uploads start a run, and one whose uploads do not. */
async function depsWithRules(): Promise<OperatorDeps> {
  const deps = await exampleDeps();
  const rules = [
    { prefix: 'datasets/', check: 'none' },
    { prefix: 'datasets/pii/', check: 'none', thenStart: 'smoke' },
  ];
  const invoke = async () => ({ payload: JSON.stringify({ datasetRules: rules }) });
  return { ...deps, stage: { ...deps.stage, invoke } };
}

describe('--allow', () => {
  test.each(writeKinds)('with %s adds that one route, and no other write', async (kind) => {
    await using running = await startTestConsole({ allow: [kind], deps: await depsWithRules() });
    const tab = await openTab(running);
    const others = writeKinds.filter((other) => writes[other].path !== writes[kind].path);

    const statuses = await Promise.all(others.map(async (other) => (await writes[other].send(tab)).status));
    const { status } = await writes[kind].send(tab);

    const posts = running.routes.filter(
      ({ method, path }) => method !== 'GET' && Object.values(writes).some((write) => write.path === path),
    );
    expect(posts).toEqual([{ method: 'POST', path: writes[kind].path }]);
    expect(statuses).toEqual(others.map(() => 404));
    expect(status).toBe(200);
  });

  test('without a word leaves a session that reads, and whose writes change nothing', async () => {
    await using running = await startTestConsole();
    const tab = await openTab(running);
    const before = await stateOf(running.deps);

    const codes = await Promise.all(Object.values(writes).map(async ({ send }) => codeOf(await send(tab))));

    expect((await tab(`${ofStage}/now`)).status).toBe(200);
    expect(codes).toEqual(writeKinds.map(() => '404 NOT_FOUND'));
    expect(await stateOf(running.deps)).toEqual(before);
  });
});

describe('an upload whose rule starts a run', () => {
  test.each(['datasets/pii/new.csv', 'datasets/pii/new.csv.dataset.json'])(
    'needs a power of that name: %s',
    async (key) => {
      await using quiet = await startTestConsole({ allow: ['upload'], deps: await depsWithRules() });
      await using starting = await startTestConsole({ allow: ['upload-and-start'], deps: await depsWithRules() });

      const answers = [await sendFile(await openTab(quiet), key), await sendFile(await openTab(starting), key)];

      expect(await codeOf(answers[0] ?? Response.error())).toBe('403 STARTS_A_RUN');
      expect(answers[1]?.status).toBe(200);
    },
  );

  test('may be any upload while the rules of the stage are not known', async () => {
    await using running = await startTestConsole({ allow: ['upload'] });

    expect(await codeOf(await sendFile(await openTab(running), 'datasets/new.csv'))).toBe('403 STARTS_A_RUN');
  });
});

test("a stop goes out as the person's, and not once a run of the second look has ended", async () => {
  const sent: unknown[] = [];
  const deps = await exampleDeps();
  const send = async (_queue: string, body: string) => void sent.push(JSON.parse(body));
  const stage: OperatorDeps['stage'] = { ...deps.stage, send, until: () => stage };
  await using running = await startTestConsole({ allow: ['stop'], deps: { ...deps, stage } });
  const tab = await openTab(running);

  const refused = await stop(tab, appliedStart, 'a-start-that-has-ended');
  expect([await codeOf(refused), sent]).toEqual(['409 RUNS_CHANGED', []]);
  await stop(tab, appliedStart);

  const origin = { kind: 'operator', name: expect.stringContaining('by the console') };
  expect(sent).toMatchObject([{ action: 'stop', campaignRunId: expect.any(String), reason: 'INC-7', origin }]);
});

describe('a write', () => {
  let running: TestConsole;
  let tab: Tab;

  beforeAll(async () => {
    running = await startTestConsole({ allow: writeKinds });
    tab = await openTab(running);
  });
  afterAll(() => running.close());

  const rowOf = async (pk: string) => (await running.deps.stage.ledger()).read<ParkableRow>(pk);

  test.each([
    [
      'a resolution',
      async (body: object) =>
        post(tab, `${ofStage}/parked/resolve`, { rows: await dryRun(tab), decision: 'dismiss', ...body }),
    ],
    ['a switch', async (body: object) => post(tab, `${ofStage}/switches`, { action: 'thaw', ...body })],
    ['an upload', async (body: object) => sendFile(tab, 'datasets/new.csv', `&${new URLSearchParams({ ...body })}`)],
  ])('is refused if it is %s without a reason', async (_what, send) => {
    const before = await stateOf(running.deps);

    const codes = [await send({}), await send({ because: ' ' })].map(async (answer) => codeOf(answer));

    expect(await Promise.all(codes)).toEqual(['400 USAGE', '400 USAGE']);
    expect(await stateOf(running.deps)).toEqual(before);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])(
    'is refused if its body is JSON by the name of "%s", which a form can send',
    async (type) => {
      const before = await stateOf(running.deps);
      const request = { method: 'POST', headers: { 'content-type': type }, body: JSON.stringify(thaw) };

      expect(await codeOf(await tab(`${ofStage}/switches`, request))).toBe('400 USAGE');
      expect(await stateOf(running.deps)).toEqual(before);
    },
  );

  test.each([
    'functions/evil.js',
    '../datasets/a.csv',
    'datasets/../../a.csv',
    'datasets/',
    '/datasets/a.csv',
    'datasets/a\u0000.csv',
  ])('is refused if its key is %j', async (key) => {
    expect(await codeOf(await sendFile(tab, key))).toBe('400 USAGE');
  });

  test.each([
    ['a row that was never parked', async () => ledgerKeys.command('weeknights@2026-11-20T19:30:00.000Z')],
    ['a switch', async () => ledgerKeys.switch('stage', 'stage')],
    ['nothing', async () => ''],
  ])('is refused if its row is %s', async (_what, pkOf) => {
    const before = await stateOf(running.deps);

    expect(await codeOf(await resolve(tab, [...(await dryRun(tab)), { row: await pkOf(), version: 1 }]))).toBe(
      '409 ROWS_CHANGED',
    );
    expect(await stateOf(running.deps)).toEqual(before);
  });

  test('is refused for all rows of a dry run if one has changed since', async () => {
    const [unchanged = expect.unreachable()] = await dryRun(tab);
    const [changed = expect.unreachable()] = await dryRun(tab, 'NO_RUN_LEFT');
    const ledger = await running.deps.stage.ledger();
    const row = await ledger.read<CommandRow>(changed.row);
    await ledger.write<CommandRow>(row, { ...(row ?? parkedCommand()), campaignRunId: 'another worker wrote this' });

    const refused = await resolve(tab, [unchanged, changed]);

    expect(await codeOf(refused)).toBe('409 ROWS_CHANGED');
    expect((await rowOf(unchanged.row))?.openState).toBe('PARKED');
    expect((await rowOf(changed.row))?.openState).toBe('PARKED');
  });

  test.each(['dismiss', 'repeat'] as const)(
    'about a finding is made once, and a repeat is a new start: %s',
    async (decision) => {
      const deps = await exampleDeps();
      const sent: { action: string; run: string; origin: object }[] = [];
      const send = async (_queue: string, body: string) => void sent.push(JSON.parse(body));
      const stage: OperatorDeps['stage'] = { ...deps.stage, send, until: () => stage };
      const start = {
        startId: 'start-1',
        campaignRunId: 'run-1',
        startAt: '2026-11-20T22:00:00.000Z',
        at: '2026-11-20T22:45:00.000Z',
      };
      const finding = withFinding(undefined, { run: 'nightly', finding: 'RUN_FAILED' }, start);
      const ledger = await stage.ledger();
      if (finding !== undefined) await ledger.write<FindingRow>(undefined, finding);
      await using own = await startTestConsole({ allow: ['resolve'], deps: { ...deps, stage } });
      const asker = await openTab(own);
      const { findings } = (await (await asker(`${ofStage}/parked`)).json()) as ParkedAnswer;
      const rows = findings.map(({ row, version }) => ({ row, version }));

      const mixed = await resolve(asker, [...rows, ...(await dryRun(asker))], { decision });
      const first = await resolve(asker, rows, { decision });
      const second = await resolve(asker, rows, { decision });

      expect(await codeOf(mixed)).toBe('400 USAGE');
      expect(((await first.json()) as ResolveAnswer).resolved).toMatchObject([{ subject: 'nightly: RUN_FAILED' }]);
      expect(await codeOf(second)).toBe('409 ROWS_CHANGED');
      expect(sent.map(({ action, run }) => `${action} ${run}`)).toEqual(decision === 'repeat' ? ['start nightly'] : []);
      const { resolutions } = (await ledger.read<FindingRow>(rows[0]?.row ?? '')) ?? {};
      expect(resolutions).toMatchObject([{ decision, by: 'grace, by the console', reason: 'CHG-9' }]);
    },
  );

  test('that resolves does so once, by the operator and the console', async () => {
    const rows = await dryRun(tab);

    const first = await resolve(tab, rows);
    const second = await resolve(tab, rows);

    expect(((await first.json()) as ResolveAnswer).resolved).toMatchObject([{ kind: 'message', decision: 'dismiss' }]);
    expect(await codeOf(second)).toBe('409 ROWS_CHANGED');
    expect((await rowOf(message))?.resolutions).toMatchObject([{ by: 'grace, by the console', reason: 'CHG-9' }]);
  });

  test('that switches names the operator and the console', async () => {
    await post(tab, `${ofStage}/switches`, thaw);

    const frozen = await post(tab, `${ofStage}/switches`, { action: 'freeze', because: 'CHG-9', by: undefined });

    expect((await frozen.json()) as SwitchAnswer).toEqual({ isChanged: true });
    expect((await stateOf(running.deps)).frozen).toMatchObject({
      isOn: true,
      by: 'grace, by the console',
      reason: 'CHG-9',
    });
  });

  test.each([
    ['by', { by: 'another person' }],
    ['operator', { operator: 'another person' }],
  ])('is refused if its body holds a name as "%s"', async (_field, more) => {
    expect(await codeOf(await post(tab, `${ofStage}/switches`, { action: 'freeze', because: 'CHG-9', ...more }))).toBe(
      '400 USAGE',
    );
    expect(await codeOf(await resolve(tab, [{ row: message, version: 1 }], more))).toBe('400 USAGE');
  });

  test('that uploads puts the file under its key', async () => {
    const sent = (await (await sendFile(tab, 'datasets/new.csv')).json()) as SentUploadAnswer;

    expect(sent).toMatchObject({ key: 'datasets/new.csv', versionId: 'version-1' });
  });

  // Any letter beyond Latin-1 was a TypeError of a header: 502, and the page could not say why.
  test.each([
    ['release — night 🌙', 'Łukasz Żółć'],
    ['🌙'.repeat(1000), 'Łukasz Żółć'.repeat(100)],
    ['two\nlines', 'ann'],
  ])('that uploads takes a reason and a name in any letters: %.20s', async (because, operator) => {
    const deps = await exampleDeps();
    const sent: Readonly<Record<string, string>>[] = [];
    const upload: typeof deps.stage.upload = async (object) => {
      sent.push(object.metadata);
      return deps.stage.upload(object);
    };
    await using own = await startTestConsole({
      allow: ['upload'],
      stages: consoleStages([
        {
          label: '',
          words: [],
          open: () => ({ ...deps, operator, stage: { ...deps.stage, upload, invoke: noRules } }),
        },
      ]),
    });

    const { status } = await sendFile(await openTab(own), 'datasets/new.csv', `&${new URLSearchParams({ because })}`);

    const [metadata = {}] = sent;
    expect(status).toBe(200);
    for (const [name, value] of Object.entries(metadata)) validateHeaderValue(`x-amz-meta-${name}`, value);
    expect(Object.entries(metadata).flat().join('').length).toBeLessThanOrEqual(2048);
    expect(because).toContain(decodeMetadataText(metadata['asked-because'] ?? '').replace(/\uFFFD$/, ''));
    expect(`${operator}, by the console`).toContain(decodeMetadataText(metadata['asked-by'] ?? ''));
  });
});

describe('a write to a stage in AWS', () => {
  /** A write of each kind, with what the person typed. */
  const typing: readonly (readonly [string, (tab: Tab, typed?: string) => Promise<Response>])[] = [
    [
      'upload',
      async (tab, typed) =>
        sendFile(tab, 'datasets/new.csv', `&because=CHG-9${typed === undefined ? '' : `&typed=${typed}`}`),
    ],
    ['resolve', async (tab, typed) => resolve(tab, await dryRun(tab), { typed })],
    ['switch', async (tab, typed) => post(tab, `${ofStage}/switches`, { ...thaw, typed })],
  ];

  test.each(typing)('that is to %s is refused until the name of the stage is typed', async (_kind, send) => {
    await using running = await startTestConsole({ allow: writeKinds, deps: await deployedDeps() });
    const tab = await openTab(running);
    const before = await stateOf(running.deps);

    const codes = [await send(tab), await send(tab, 'local'), await send(tab, ''), await send(tab, 'Prod')];

    expect(await Promise.all(codes.map(async (answer) => codeOf(answer)))).toEqual(codes.map(() => '403 TYPE_STAGE'));
    expect(await stateOf(running.deps)).toEqual(before);
    expect((await send(tab, 'prod')).status).toBe(200);
  });

  test('needs the name once in a session, and again in another tab', async () => {
    await using running = await startTestConsole({ allow: writeKinds, deps: await deployedDeps() });
    const [first, second] = [await openTab(running), await openTab(running)];
    await post(first, `${ofStage}/switches`, { ...thaw, typed: 'prod' });

    expect((await post(first, `${ofStage}/switches`, thaw)).status).toBe(200);
    expect(await codeOf(await post(second, `${ofStage}/switches`, thaw))).toBe('403 TYPE_STAGE');
  });

  // A name that was typed for one stage also opened the stage of the same name in another region.
  test('needs the name again for the stage of the same name in another region', async () => {
    const [dublin, virginia] = [await deployedDeps(), await deployedDeps()];
    const stages = consoleStages([
      { label: '', words: [], open: () => dublin },
      { label: 'prod-us', words: [], open: () => virginia },
    ]);
    await using running = await startTestConsole({ allow: writeKinds, stages, deps: dublin });
    const tab = await openTab(running);
    await post(tab, `${ofStage}/switches`, { ...thaw, typed: 'prod' });

    expect(await codeOf(await post(tab, '/api/stages/prod-us/switches', thaw))).toBe('403 TYPE_STAGE');
    expect((await stateOf(virginia)).frozen).toMatchObject({ isOn: true, by: 'ann' });
  });
});
