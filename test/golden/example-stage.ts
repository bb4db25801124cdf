import type { Command, CommandDeps, CommandResult } from '#cli/terminal/command.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import type { StackResource } from '#shared/aws/stage-outputs.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import { rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { previewQuestion } from '#shared/messages/questions.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { commandRow, idRow, inFlight, runCommand, targetRow } from '../builders/run-rows.ts';
import { argumentsOf, commandsEndWith, fakeClock, fakeDeps, type FakeStage, now } from '../unit/operator/fake-deps.ts';
import {
  parkedCommand,
  parkedMessage,
  parkedUpload,
  uploadRow,
  weeknightsSchedule,
} from '../unit/operator/parked-fixtures.ts';

const nightlyId = '0197f3a0-5b1c-7d2e-8f30-000000000001';
const at = '2026-11-20T19:30:00.000Z';

/** A start that was applied, and can be shown. */
export const appliedStart = 'weeknights@2026-11-20T19:30:00.000Z';
/** A start that was tried and has no outcome, and can be shown. */
export const waitingStart = 'weeknights@2026-11-20T19:31:00.000Z';
/** An upload that was registered, and can be shown. */
export const registeredKey = 'datasets/names.csv';

const resources = functionNames.map((name): StackResource => {
  const construct = name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return { logicalId: `${construct}Function0123ABCD`, physicalId: `deployed-${name}`, type: 'AWS::Lambda::Function' };
});

/** What the functions answer, by the question. */
const answers: Readonly<Record<string, object>> = {
  config: {
    mode: 'act',
    timezone: 'Europe/Dublin',
    runs: {
      nightly: {
        name: 'nightly',
        campaign: 'chat-bot',
        campaignRunIds: [nightlyId],
        guards: { target: 'chat-bot', overlap: 'skip' },
      },
    },
  },
  supplies: {
    bindings: [{ run: 'nightly', left: 9, isLow: false }],
    budgets: [{ campaign: 'chat-bot', month: '2026-11', used: 4, startsPerMonth: 23 }],
  },
  token: {
    baseUrl: 'https://gateway.example.com',
    secret: { kind: 'read', expiresAt: '2027-01-31T00:00:00.000Z' },
    reads: [{ read: 'GET /scanner-packages', kind: 'answered' }],
  },
  smoke: { ok: true, version: productVersion, checks: { ledger: 'ok', token: 'ok' } },
  'config-at': {
    kind: 'read',
    id: 'c-1',
    name: 'Chat bot nightly',
    fingerprints: { lists: {}, fields: { name: '0a1b' } },
    words: { name: 'Chat bot nightly' },
  },
};

function answerOf(input: string): object {
  const question = JSON.parse(input) as { readonly ask?: string; readonly drain?: true };
  if (question.drain === true)
    return { pools: [{ run: 'nightly', mark: 'abcdefgh', ids: [], isDone: true, mayHaveMore: true }] };
  return question.ask === 'preview' ? previewed(input) : (answers[question.ask ?? 'smoke'] ?? {});
}

function previewed(input: string): object {
  const [first = {}] = previewQuestion.parse(JSON.parse(input)).commands as readonly Record<string, unknown>[];
  const common = {
    id: first['id'],
    at: first['issuedAt'],
    action: 'start',
    run: 'nightly',
    origin: first['origin'],
    verdicts: [
      { guard: 'frozen', verdict: 'apply' },
      { guard: 'blackout', verdict: 'defer', detail: 'the blackout year-end covers it' },
    ],
  };
  const path = `/backend/v1/campaign-runs/${nightlyId}`;
  return {
    now: now.toISOString(),
    mode: 'act',
    unread: [{ campaign: 'chat-bot', why: 'it was answered 503' }],
    commands: [
      { ...common, outcome: 'deferred', reason: 'BLACKOUT', detail: 'until 04:00', until: at, requests: [] },
      {
        ...common,
        outcome: 'applied',
        requests: [{ method: 'PATCH', path, body: { startAt: at, name: 'nightly 2026-11-20' } }],
        stopDueAt: at,
        campaign: 'chat-bot',
        campaignRunId: nightlyId,
        effectAt: at,
        inFlightUntil: at,
        idsLeft: 8,
        startsLeft: 18,
      },
    ],
  };
}

const running = targetRow(inFlight({ campaignRunId: nightlyId, startId: appliedStart, due: at }));
const usedId = idRow({ campaignRunId: nightlyId, startId: appliedStart, issuedAt: at });

/** A start that waits for the gateway. */
const waiting = commandRow(runCommand({ id: waitingStart, issuedAt: at }), {
  attempt: {
    crashes: 0,
    since: at,
    tries: 2,
    waitsFor: 'the gateway, whose connection was down at the last try',
    lastError: 'PATCH was answered 503',
    evidence: { httpStatus: 503, errorCode: 'BAD_STATUS', requestSent: true },
    nextTryAt: now.toISOString(),
  },
  openState: 'PENDING',
  openSince: at,
});

const started = commandRow(runCommand({ id: appliedStart, issuedAt: at, reason: 'CHG-1' }), {
  campaignRunId: nightlyId,
  target: 'chat-bot',
  verdicts: [{ guard: 'overlap', verdict: 'overridden', detail: 'run 1 is in flight' }],
  openState: 'ENDED',
  openSince: at,
  outcome: { kind: 'applied', detail: 'run started', at },
});

const registered = uploadRow({
  key: registeredKey,
  eventTime: at,
  ruleName: 'datasets/',
  datasetId: 'd-1',
  datasetName: 'names',
  checked: { rows: 120, blocking: 40, repeated: 3 },
  outcome: { kind: 'applied', detail: 'dataset d-1', at },
});

const skipped = commandsEndWith({ kind: 'skipped', reason: 'OVERLAP', detail: 'run 1 is in flight' });

/** One stage with something of everything: work in each state, a freeze, and workers that answer. */
const stage: FakeStage = {
  async onSend(queue, body, ledger) {
    if (queue === 'commands') await skipped.onSend(queue, body, ledger);
  },
  async onUpload({ bucket, key }, versionId, ledger) {
    await ledger.write<UploadRow>(undefined, {
      ...registered,
      pk: ledgerKeys.upload(bucket, key, versionId),
      key,
      versionId,
    });
  },
  functionAnswer: (input) => ({ payload: JSON.stringify(answerOf(input)) }),
  schedules: [weeknightsSchedule()],
  resources,
  depths: { commands: 3, 'uploads-dlq': 1 },
  clock: fakeClock(),
  typed: 'canary-1',
  tokenVersions: {
    put: async () => ({ versionId: 'v2', isFirst: false }),
    promote: async () => {},
    withdraw: async () => {},
  },
  versions: [{ versionId: 'v1', lastModified: new Date(at) }],
  bucket: [
    { key: registeredKey, versionId: 'v1', etag: 'e1', sizeBytes: 120, lastModified: new Date(at) },
    { key: parkedUpload().key, versionId: 'v1', etag: 'e2', sizeBytes: 90, lastModified: new Date(at) },
  ],
};

/** Dependencies of a command over a new copy of the stage. */
export async function exampleDeps(): Promise<CommandDeps> {
  const { deps, ledger } = fakeDeps(stage);
  const parked = [parkedUpload(), parkedCommand(), parkedMessage()];
  for (const row of [...parked, running, usedId, started, waiting, registered]) await ledger.write(undefined, row);
  for (const subject of [stageSwitch, { scope: 'campaign', name: 'chat-bot' }] as const) {
    await setSwitch(ledger, subject, { isOn: true, by: 'ann', reason: 'INC-77', at: now });
  }
  await rememberRecentOutcomes(ledger, [{ worker: 'register-datasets', subject: registeredKey, kind: 'applied', at }]);
  return deps;
}

/** A document as `--json` prints it. */
export type JsonDocument = Readonly<Record<string, unknown>> & { readonly exitCode: number };

/** The document of a command line over these dependencies. */
export async function documentOf(command: Command, argv: readonly string[], deps: CommandDeps): Promise<JsonDocument> {
  return asPrinted(await command.run(argumentsOf(command, ...argv), deps));
}

/** What is left of a result after JSON: no key without a value. */
export function asPrinted({ data, exitCode = 0 }: Pick<CommandResult, 'data' | 'exitCode'>): JsonDocument {
  return JSON.parse(JSON.stringify({ ...data, exitCode }));
}
