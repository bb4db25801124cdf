import { readCommandLine, type TypedCommand, usageOf } from '#cli/command-line.ts';
import { type CommandArguments, commonOptions } from '#cli/terminal/arguments.ts';
import type { Command, CommandDeps, CommandResult } from '#cli/terminal/command.ts';
import { readLine } from '#shared/text/program-arguments.ts';
import { type Times, timesIn } from '#cli/terminal/times.ts';
import type { ClockMove, LocalClock } from '#operator/stage/local-stage.ts';
import { plain } from '#shared/text/terminal-writer.ts';
import { visibleText } from '#shared/text/visible-text.ts';
import type { DeployedMapping, InvocationAnswer } from '#operator/aws/lambda-function.ts';
import type { ListedVersion } from '#shared/aws/version-listing.ts';
import type { ObjectUpload } from '#shared/aws/object-store.ts';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import type { StackResource } from '#shared/aws/stage-outputs.ts';
import type { TokenVersions } from '#operator/aws/token-versions.ts';
import type { TopOfBucket } from '#operator/aws/top-of-bucket.ts';
import type { TopicSubscription } from '#operator/aws/topic-subscriptions.ts';
import type { QueueName } from '#shared/ledger/rows/message-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { createObservedLedger } from '#shared/ledger/observed-ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';

/** The stage's time in these tests. */
export const now = new Date('2026-11-20T20:00:00.000Z');

const outputs: StageOutputs = {
  AutopilotVersion: productVersion,
  LedgerTableName: 'ledger',
  ObservedLedgerTableName: 'observed-ledger',
  BucketName: 'bucket',
  TokenSecretArn: 'arn:secret',
  CommandsQueueUrl: 'http://127.0.0.1:1/commands',
  CommandsDeadLetterQueueUrl: 'http://127.0.0.1:1/commands-dlq',
  UploadsQueueUrl: 'http://127.0.0.1:1/uploads',
  UploadsDeadLetterQueueUrl: 'http://127.0.0.1:1/uploads-dlq',
  SchedulesDeadLetterQueueUrl: 'http://127.0.0.1:1/schedules-dlq',
  EventBusName: 'bus',
  LinkTestsRoleArn: 'arn:aws:iam::000000000000:role/link-tests',
  AlarmTopicArn: 'arn:aws:sns:eu-west-1:000000000000:alarms',
  Mode: 'act',
  Timezone: 'UTC',
  ScheduleGroupName: 'group',
  AnswerQuestionsFunctionArn: 'arn:aws:lambda:eu-west-1:000000000000:function:answer-questions',
  UpdateCampaignRunsFunctionArn: 'arn:aws:lambda:eu-west-1:000000000000:function:update-campaign-runs',
};

type MemoryLedger = ReturnType<typeof createMemoryLedger>;

/** What the workers would do, played by the test. */
export interface FakeStage {
  /** What its ledger holds. @default nothing */
  readonly rows?: readonly LedgerRow[];
  /** @default 'act' */
  readonly mode?: 'act' | 'observe';
  readonly onUpload?: (upload: ObjectUpload, versionId: string, ledger: MemoryLedger) => Promise<void>;
  readonly onSend?: (queue: QueueName, body: string, ledger: MemoryLedger) => Promise<void>;
  readonly schedules?: readonly DeployedSchedule[];
  readonly functionAnswer?: InvocationAnswer | ((input: string, functionName: string) => InvocationAnswer);
  readonly resources?: readonly StackResource[];
  /** By UUID. */
  readonly mappings?: Readonly<Record<string, DeployedMapping>>;
  readonly subscriptions?: readonly TopicSubscription[];
  readonly tokenVersions?: TokenVersions;
  /** What the person types where a secret is asked for. */
  readonly typed?: string;
  readonly depths?: Readonly<Record<string, number>>;
  readonly clock?: LocalClock;
  readonly isUnversioned?: boolean;
  /** Versions of every key, newest first. */
  readonly versions?: readonly { readonly versionId: string; readonly lastModified: Date }[];
  /** @default `bucket`, which is not the stage's own */
  readonly bucketName?: string;
  /** Versions in the bucket, in the order of a listing. */
  readonly bucket?: readonly ListedVersion[];
  /** What lies at the top of the bucket, or why it cannot be read. @default that of `bucket` */
  readonly topOfBucket?: () => TopOfBucket;
  /** Versions on a page of the listing. */
  readonly pageSize?: number;
  /** Ctrl-C. */
  readonly interruption?: AbortSignal;
  readonly target?: CommandDeps['target'];
}

/** A run on this machine that no test reaches. */
const aLocalTarget: CommandDeps['target'] = {
  kind: 'local',
  stage: 'local',
  endpoint: 'http://127.0.0.1:4566',
  region: 'eu-west-1',
  folder: '/nowhere/.autopilot',
};

/** Dependencies over a memory ledger; time passes only by waiting. */
export function fakeDeps(stage: FakeStage = {}) {
  const { mode = 'act' } = stage;
  const acting = createMemoryLedger();
  const ledger = mode === 'act' ? acting : createObservedLedger(createMemoryLedger(), acting);
  const sent: { queue: QueueName; body: string }[] = [];
  const uploads: ObjectUpload[] = [];
  const invoked: string[] = [];
  const told: string[] = [];
  let elapsed = 0;
  for (const row of stage.rows ?? []) void ledger.write(undefined, row); // at once, since it is in memory
  const deps: CommandDeps = {
    target: stage.target ?? aLocalTarget,
    stage: {
      outputs: async () => ({ ...outputs, Mode: mode, BucketName: stage.bucketName ?? outputs.BucketName }),
      lastOutputs: () => undefined,
      ledger: async () => ledger,
      acting: async () => acting,
      async upload(upload) {
        uploads.push(upload);
        const versionId = `version-${uploads.length}`;
        await stage.onUpload?.(upload, versionId, ledger);
        return stage.isUnversioned === true ? {} : { versionId };
      },
      versions: async () => stage.versions ?? [],
      listVersions: async ({ prefix, after, limit = 1000 }) => {
        const all = (stage.bucket ?? []).filter(({ key }) => key.startsWith(prefix));
        const from =
          after === undefined
            ? 0
            : 1 + all.findIndex(({ key, versionId }) => key === after.key && versionId === after.versionId);
        const versions = all.slice(from, from + Math.min(limit, stage.pageSize ?? limit));
        const last = versions.at(-1);
        const isMore = last !== undefined && from + versions.length < all.length;
        return { versions, ...(isMore ? { next: { key: last.key, versionId: last.versionId } } : {}) };
      },
      async topOfBucket() {
        const top = (stage.bucket ?? []).map(({ key }) => key.replace(/\/.*/s, '/'));
        return stage.topOfBucket?.() ?? { names: [...new Set(top)], isPartial: false };
      },
      async send(queue, body) {
        sent.push({ queue, body });
        await stage.onSend?.(queue, body, ledger);
      },
      depth: async (queueUrl) => ({
        waiting: stage.depths?.[queueUrl.split('/').at(-1) ?? ''] ?? 0,
        inFlight: 0,
        delayed: 0,
      }),
      schedules: async () => ({
        names: async () => (stage.schedules ?? []).map((schedule) => schedule.name),
        find: async (name) => stage.schedules?.find((schedule) => schedule.name === name),
      }),
      async invoke(functionName, input) {
        invoked.push(input);
        const { functionAnswer = { payload: 'null' } } = stage;
        return typeof functionAnswer === 'function' ? functionAnswer(input, functionName) : functionAnswer;
      },
      resources: async () => stage.resources ?? [],
      mapping: async (uuid) => stage.mappings?.[uuid],
      alarmSubscriptions: async () => stage.subscriptions ?? [],
      async tokenVersions() {
        if (stage.tokenVersions === undefined) throw new Error('this test has no secret');
        return stage.tokenVersions;
      },
      async links() {
        throw new Error('this test has no links');
      },
      clockOffsetMs: async () => 0,
      until: () => deps.stage,
    },
    ...(stage.clock === undefined ? {} : { localClock: stage.clock }),
    now: async () => new Date(now.getTime() + elapsed),
    interruption: () => stage.interruption ?? new AbortController().signal,
    elapsedMs: () => elapsed,
    wait: async (milliseconds) => {
      elapsed += milliseconds;
    },
    unique: () => 'abcd1234',
    operator: 'grace',
    readSecret: async () => stage.typed ?? '',
    onEnter: () => () => {},
    progress: (line) => told.push(line),
  };
  return { deps, ledger, acting, sent, uploads, invoked, told };
}

/** A worker that ends every command with one outcome. */
export function commandsEndWith(
  outcome: Omit<NonNullable<CommandRow['outcome']>, 'at'>,
): Required<Pick<FakeStage, 'onSend'>> {
  return {
    async onSend(_queue, body, ledger) {
      const command: CampaignRunCommand = JSON.parse(body);
      const pk = ledgerKeys.command(command.id);
      await ledger.write<CommandRow>(await ledger.read<CommandRow>(pk), {
        pk,
        kind: 'command',
        id: command.id,
        command,
        outcome: { ...outcome, at: now.toISOString() },
        ...(outcome.kind === 'parked' ? { openState: 'PARKED', openSince: now.toISOString() } : {}),
      });
    },
  };
}

/** A command line as the command gets it. */
export function argumentsOf({ line }: Pick<Command, 'line'>, ...argv: readonly string[]): CommandArguments {
  try {
    const read = readLine('autopilot', { ...line, options: { ...commonOptions, ...line.options } }, argv);
    if (typeof read === 'string') throw new Error(read);
    return read;
  } catch (error) {
    throw usageOf(error);
  }
}

/** A whole command line, without the name of the program, as it is typed. */
export async function typed(words: readonly string[]): Promise<TypedCommand> {
  const read = await readCommandLine(words);
  if (typeof read === 'string') throw new Error(`this is the help of a command: ${words.join(' ')}`);
  return read;
}

/** Each time exact, and no zone: the form of times has its own tests. */
const exactTimes: Times = (at = new Date()) => ({
  ...timesIn('UTC')(at),
  at: (text) => (Number.isNaN(Date.parse(text)) ? text : new Date(text).toISOString()),
  note: 'times in UTC',
  head: at.toISOString(),
});

/** The lines of a result without colours. */
export function linesOf({ render, now: at }: CommandResult, times: Times = timesIn('UTC')): readonly string[] {
  return render({ ...times(at), paint: plain }, times);
}

/** The text of a result without colours and without its zone. */
export function textOf(result: CommandResult): string {
  const text = linesOf(result, exactTimes).map(visibleText).join('\n');
  return text.replaceAll(/^times in UTC(?:\n|$)|[,;]? times in UTC/gm, '');
}

/** A clock that stands where it is put; its first move fires these. */
export function fakeClock(
  fired: ClockMove['fired'] = [{ schedule: 'weeknights', at: '2026-11-20T22:00:00.000Z' }],
): LocalClock & { readonly moves: number[] } {
  const moves: number[] = [];
  return {
    moves,
    read: async () => ({ now, offsetMs: 0 }),
    lastOffsetMs: () => 0,
    async forward(milliseconds): Promise<ClockMove> {
      moves.push(milliseconds);
      const offsetMs = moves.reduce((sum, move) => sum + move);
      return { now: new Date(now.getTime() + offsetMs), offsetMs, fired: moves.length === 1 ? fired : [] };
    },
  };
}
