import { expect, test } from 'vitest';
import { command } from '#cli/reports/doctor.ts';
import type { Examined } from '#operator/doctor/examine-stage.ts';
import type { InvocationAnswer } from '#operator/aws/lambda-function.ts';
import { stepText } from '#shared/text/step.ts';
import type { StackResource } from '#shared/aws/stage-outputs.ts';
import type { SuppliesAnswer, TokenAnswer } from '#shared/messages/questions.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { argumentsOf, fakeDeps, type FakeStage, textOf } from '../../operator/fake-deps.ts';
import { gateRow, weeknightsSchedule } from '../../operator/parked-fixtures.ts';
const functions = functionNames.map((name): StackResource => {
  const construct = name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return { logicalId: `${construct}Function0123ABCD`, physicalId: `deployed-${name}`, type: 'AWS::Lambda::Function' };
});
const resources: readonly StackResource[] = [
  ...functions,
  {
    logicalId: 'RegisterDatasetsFunctionUploads66DF0AAD',
    physicalId: 'uuid-uploads',
    type: 'AWS::Lambda::EventSourceMapping',
  },
  { logicalId: 'RegisterDatasetsFunctionLogsFB06C337', physicalId: 'logs-of-uploads', type: 'AWS::Logs::LogGroup' },
  { logicalId: 'SchedulesCommandweeknightsFC35A159', physicalId: 'weeknights', type: 'AWS::Scheduler::Schedule' },
];
const weeknights = weeknightsSchedule({ timezone: 'UTC', input: '{}' });
const token: TokenAnswer = {
  baseUrl: 'https://gateway.example.com',
  secret: { kind: 'read', expiresAt: '2036-11-20T00:00:00Z' },
  reads: [{ read: 'GET /scanner-packages', kind: 'answered' }],
};
const supplies: SuppliesAnswer = {
  bindings: [{ run: 'nightly', left: 9, isLow: false }],
  budgets: [{ campaign: 'chat-bot', month: '2026-11', used: 4, startsPerMonth: 23 }],
};

/** What the functions answer, as they do if nothing is wrong, but for what the test says. */
function answers(
  given: Readonly<Record<string, object | InvocationAnswer>> = {},
): Required<Pick<FakeStage, 'functionAnswer'>> {
  const usual: Readonly<Record<string, object>> = {
    token,
    supplies,
    config: { mode: 'act', runs: {} },
    smoke: { ok: true, version: productVersion, checks: { ledger: 'ok', token: 'ok' } },
  };
  return {
    functionAnswer(input, functionName) {
      const { ask = 'smoke' }: { ask?: string } = JSON.parse(input);
      const answer = (ask === 'smoke' ? given[functionName] : undefined) ?? given[ask] ?? usual[ask] ?? {};
      return 'payload' in answer ? (answer as InvocationAnswer) : { payload: JSON.stringify(answer) };
    },
  };
}

const healthy: FakeStage = {
  ...answers(),
  resources,
  mappings: { 'uuid-uploads': { state: 'Enabled', lastResult: 'OK' } },
  schedules: [weeknights],
};

/** What the doctor says about one subject of a stage that is well but for what is given. */
async function told(stage: FakeStage) {
  const { deps } = fakeDeps({ ...healthy, ...stage });
  const result = await command.run(argumentsOf(command), deps);
  const { examined } = result.data as { examined: readonly Examined[] };
  return { result, findings: examined.flatMap((part) => part.findings) };
}

test('of a stage that is well everything is ok, on one screen', async () => {
  const { result, findings } = await told({});

  expect(findings.filter(({ state }) => state !== 'ok').map(({ says }) => says)).toEqual([
    'no message leaves this machine',
    '/nowhere/.autopilot cannot be looked at', // its disk: the stage of the test has none
  ]);
  expect(result.exitCode).toBe(0);
  const lines = textOf(result).split('\n');
  expect(lines[0]).toBe('stage local, local run at http://127.0.0.1:4566, 2026-11-20T20:00:00.000Z');
  expect(lines.at(-1)).toBe('nothing is wrong');
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(findings.map(({ subject }) => subject)).toEqual([
    'token',
    'gateway',
    'version',
    ...functionNames,
    'mappings',
    'gateway connection',
    'dead letters',
    'parked',
    'schedules',
    "nightly's ids",
    "chat-bot's budget",
    'other files',
    'alarms',
    'disk',
  ]);
});

const refusedToken = { code: 'BAD_STATUS', message: '401', httpStatus: 401 };
const aws: Pick<FakeStage, 'target'> = { target: { kind: 'aws', stage: 'prod' } };

const refusedRead = { read: 'GET /scanner-packages', kind: 'failed', failure: refusedToken };
const lowBudget = { campaign: 'a', month: '2026-11', used: 3, startsPerMonth: 5 };

type Wrong = readonly [what: string, stage: FakeStage, subject: string, state: string, says: RegExp, next: RegExp];

const wrong: readonly Wrong[] = [
  [
    'a refused token',
    answers({ token: { ...token, reads: [refusedRead] } }),
    'token',
    'problem',
    /refuses/,
    /token set/,
  ],
  ['a silent worker', answers({ token: { payload: 'null' } }), 'all of gateway', 'problem', /question "token"/, /^$/],
  ['no function', { resources: resources.slice(1) }, functionNames[0], 'problem', /no such function/, /Deploy/],
  [
    'a budget that runs low',
    answers({ supplies: { ...supplies, budgets: [lowBudget] } }),
    "a's budget",
    'warning',
    /3 of 5/,
    /startsPerMonth/,
  ],
];

const boom = { payload: '{"errorMessage":"boom"}', functionError: 'Unhandled' };
const lacks = { ok: false, checks: { ledger: 'User is not authorized to perform' } };

const wrongFunctions: readonly (readonly [string, object, RegExp, RegExp, FakeStage?])[] = [
  ['of another version', { ok: true, version: '0.0.1', checks: {} }, /is of version 0\.0\.1, its stage of \d/, /drift/],
  ['that fails', boom, /^fails: boom$/, /aws logs tail logs-of-uploads --since 15m/, aws],
  ['whose ledger is away', { ok: false, checks: { ledger: 'is away', token: 'ok' } }, /^ledger: is away$/, /terminal/],
  ['whose grant is missing', lacks, /not authorized/, /role lacks a permission/],
  ['without a gateway', { ok: false, checks: { gateway: 'was not sent' } }, /^gateway: was not sent$/, /terminal/],
];

const wrongMappings: readonly (readonly [string, FakeStage['mappings'], string, RegExp, RegExp])[] = [
  [
    'disabled',
    { 'uuid-uploads': { state: 'Disabled' } },
    'problem',
    /queue Uploads: its mapping is disabled/,
    /--enabled/,
  ],
  ['deleted', {}, 'problem', /was deleted/, /--revert-drift\. .*destroy/],
  ['on its way', { 'uuid-uploads': { state: 'Updating' } }, 'warning', /is updating/, /Look again/],
  [
    'in trouble',
    { 'uuid-uploads': { state: 'Enabled', lastResult: 'PROBLEM: no' } },
    'warning',
    /PROBLEM: no/,
    /again/,
  ],
];

const off = { ...weeknights, isEnabled: false };

const wrongSchedules: readonly (readonly [string, FakeStage['schedules'], string, RegExp, RegExp])[] = [
  ['weeknights', [off], 'warning', /is disabled/, /enabled: false/],
  ['weeknights', [], 'problem', /was deleted/, /--revert-drift\. .*destroy/],
  [
    'watch-campaigns',
    [weeknights, { ...off, name: 'watch-campaigns' }],
    'problem',
    /disabled manually/,
    /Enable it .*drift/,
  ],
  [
    'projects.chat-app',
    [weeknights, { ...off, name: 'projects.chat-app' }],
    'problem',
    /disabled manually/,
    /Enable it/,
  ],
];

test.each<Wrong>([
  ...wrong,
  ...wrongFunctions.map(([what, answer, says, next, more]): Wrong => {
    const stage = { ...answers({ 'deployed-register-datasets': answer }), ...more };
    return [`a function ${what}`, stage, 'register-datasets', 'problem', says, next];
  }),
  ...wrongMappings.map(([what, mappings, ...words]): Wrong => [
    `a mapping ${what}`,
    { mappings },
    'mapping of register-datasets',
    ...words,
  ]),
  ...wrongSchedules.map(([name, schedules, ...words]): Wrong => [name, { schedules }, `schedule ${name}`, ...words]),
])('tells of %s with its cause and the next step, in one line', async (...[, stage, subject, state, says, next]) => {
  const { result, findings } = await told(stage);

  const found = findings.find((finding) => finding.subject === subject);
  expect(found).toMatchObject({ state, says: expect.stringMatching(says) });
  expect(found?.next === undefined ? '' : stepText(found.next)).toMatch(next);
  const lines = textOf(result).split('\n');
  expect(lines.filter((line) => line.includes(` ${subject} `) && line.includes(found?.says ?? '?'))).toHaveLength(1);
  expect(result.exitCode).toBe(state === 'problem' ? 4 : 0);
});

const mail = { protocol: 'email', endpoint: 'soc@example.com', isConfirmed: true };

test.each<[string, FakeStage, string, RegExp]>([
  [
    'an address that has not confirmed',
    { subscriptions: [mail, { ...mail, isConfirmed: false }], ...aws },
    'problem',
    /soc@example.com has not confirmed/,
  ],
  ['that reach no inbox', aws, 'warning', /reach no inbox/],
  ['who is told', { subscriptions: [mail], ...aws }, 'ok', /^go to soc@example.com$/],
  [
    'who would be told',
    { subscriptions: [{ ...mail, isConfirmed: false }] },
    'unknown',
    /deployed, they go to soc@example.com/,
  ],
])('tells of the alarms %s', async (_what, stage, state, says) => {
  const { findings } = await told(stage);

  expect(findings.filter(({ subject }) => subject === 'alarms')).toEqual([
    expect.objectContaining({ state, says: expect.stringMatching(says) }),
  ]);
});

test('a part that cannot be looked at hides no other', async () => {
  const { deps } = fakeDeps(healthy);
  const forbidden = Object.assign(new Error('cloudformation:ListStackResources'), { name: 'AccessDenied' });
  const stage = { ...deps.stage, resources: async () => Promise.reject(forbidden) };

  const result = await command.run(argumentsOf(command), { ...deps, stage });

  expect(result.exitCode).toBe(4);
  expect(textOf(result)).toMatch(
    /Functions\n +PROBLEM +all of functions +could not be looked at: you may not do this: cloudformation:ListStackResources/,
  );
  expect(textOf(result)).toMatch(/ok +token/);
  expect(textOf(result)).toMatch(/- +alarms/);
});

const readRuns = { ...supplies, runReadings: 'on' as const };
const cancelled = { run: 'nightly', campaignRunId: 'r-2', says: 'is cancelled' };

test.each<[string, SuppliesAnswer, object, string | undefined, string]>([
  ['that can start', readRuns, { of: 9, read: 9, odd: [] }, 'ok', '9 ids looked at, all can start'],
  ['of which one cannot', readRuns, { of: 9, read: 9, odd: [cancelled] }, 'problem', 'r-2 is cancelled'],
  [
    'that cannot be read now',
    readRuns,
    { of: 9, read: 0, odd: [], unread: 'the gate is closed' },
    'unknown',
    'the others could not be read: the gate is closed',
  ],
  [
    'at a gateway without that operation',
    { ...supplies, runReadings: { status: 405, missingAt: '2026-11-20T19:30:00.000Z' } },
    {},
    'warning',
    'it answered 405: it seems to have no GET /campaign-runs/{id}, and is asked once an hour',
  ],
  ['of a stage that reads no runs', supplies, {}, undefined, ''],
])('says what the gateway shows of ids %s', async (...[, given, runIds, state, says]) => {
  const { findings } = await told(answers({ supplies: given, 'run-ids': runIds }));

  const found = findings.find(({ subject }) => subject === 'runs as the gateway shows them');
  expect(found?.state).toBe(state);
  expect(found?.says ?? '').toContain(says);
});

// A token that the gateway refused was counted as five problems.
test('a refused token is counted once: the connection that is down and its functions follow from it', async () => {
  const smoke = { ok: false, version: productVersion, checks: { ledger: 'ok', token: '401' } };
  const { result, findings } = await told({
    ...answers({ token: { ...token, reads: [refusedRead] }, 'deployed-watch-projects': smoke }),
    rows: [gateRow()],
  });

  expect(findings.filter(({ causedBy }) => causedBy === 'token').map(({ subject }) => subject)).toEqual([
    'watch-projects',
    'gateway connection',
  ]);
  expect(textOf(result)).toMatch(/└ +gateway connection +down .*; see token\n/);
  expect(textOf(result).split('\n').at(-1)).toBe('1 to act on');
});
