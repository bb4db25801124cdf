import { printedLine } from '#shared/text/printed-line.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { stackNames, type StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { FrontDoor } from './front-door.ts';
import type { LocalSchedule } from '../schedules/local-schedule.ts';
import type { LocalGatewayAccess } from './local-gateway.ts';
import type { RunningStage } from './run-stage.ts';

/** The lines about a stage that is up. */
export interface Summary {
  readonly stage: string;
  readonly running: RunningStage;
  readonly gateway: LocalGatewayAccess;
  readonly outputs: StageOutputs;
  /** The address that opens its console once. */
  readonly console: string;
  /** The folder of its state, if it is not the one that every command looks into. */
  readonly folder?: string | undefined;
}

/** What a stage's outputs say, as the operator's command reads them. */
export function outputsOf(running: RunningStage, stage: string): StageOutputs {
  const names = stackNames(stage);
  const { outputs } = running.assembly;
  // Both stacks together hold every output: infra's tests hold that.
  return { ...outputs.get(names.state), ...outputs.get(names.workers) } as StageOutputs;
}

/** The last line of a start. A person has read the addresses above it, and a script takes them from it. */
export function readyLine(facts: { readonly mode: string }, isTerminal: boolean): string {
  if (!isTerminal) return `READY ${JSON.stringify(facts)}`;
  const does = facts.mode === 'observe' ? 'the stage only observes, and starts nothing' : 'the stage acts';
  return `READY: ${does}. Ctrl-C ends it and keeps its state`;
}

/** What a script needs of a stage. A real gateway's token is never printed. */
export function readyFacts({ running, gateway, outputs, console: link }: Omit<Summary, 'stage' | 'folder'>) {
  const { frontDoor, assembly } = running;
  return {
    mode: outputs.Mode,
    aws: frontDoor.url,
    gateway: gateway.url,
    token: gateway.isEmbedded ? gateway.token : undefined,
    bucket: outputs.BucketName,
    region: assembly.region,
    queues: { commands: outputs.CommandsQueueUrl, uploads: outputs.UploadsQueueUrl },
    console: link,
  };
}

/** What a person sees once everything is up, in lines. */
export function summaryLines(what: Summary, paint: Paint): readonly string[] {
  const { stage, running, gateway, outputs } = what;
  const times = running.schedules.nextTimes();
  const width = Math.max(...times.map(({ schedule }) => schedule.Name.length));
  return [
    paint('bold', `Gateway Autopilot, stage ${stage}, on this machine`),
    '',
    ...addresses(running, gateway, outputs),
    `  console  ${what.console} (opens one tab, within 5 minutes; Enter prints another address)`,
    '',
    `${paint('bold', 'Schedules')}, next times in ${outputs.Timezone}`,
    ...(times.length === 0 ? ['  none'] : times.map((time) => scheduleLine(time, width, outputs.Timezone))),
    ...gapLines(running, paint),
    ...pastLine(running.frontDoor.leftBehind, outputs),
    '',
    paint('bold', 'Try, in another terminal'),
    ...commandsToTry(commandSchedule(times.map(({ schedule }) => schedule)), what.folder),
    '',
  ];
}

/**
 * The first commands of a person, to paste.
 * @param folder - as in `Summary`: without it they would meet another run
 */
export function commandsToTry(schedule: string, folder?: string): readonly string[] {
  const where = folder === undefined ? [] : ['--data', folder];
  return [['upload', 'examples/datasets/prompt-injection.csv'], ['fire', schedule], ['status']].map(
    (words) => `  ${printedLine([...words, ...where])}`,
  );
}

function addresses(running: RunningStage, gateway: LocalGatewayAccess, outputs: StageOutputs): string[] {
  const { frontDoor } = running;
  const queueNames = Object.keys(frontDoor.queueDepths()).length;
  const curl = gateway.isEmbedded
    ? [`           curl -H 'Authorization: Bearer ${gateway.token}' ${gateway.url}/backend/v1/projects/chat-app`]
    : [];
  return [
    `  gateway  ${gateway.url}${gateway.isEmbedded ? ' (embedded)' : ''}`,
    ...curl,
    `  AWS      ${frontDoor.url} (--endpoint-url; AWS_SHARED_CREDENTIALS_FILE: the file credentials of the state's folder)`,
    `  bucket   ${outputs.BucketName}: ${datasetsPrefix}`,
    `  queues   ${queueNames}: ${[outputs.CommandsQueueUrl, outputs.UploadsQueueUrl].map(nameIn).join(', ')} and their dead-letter queues`,
  ];
}

/**
 * One schedule with its next time.
 * @param zone - of the stage; a rule that is written in another one names that
 */
export function scheduleLine(
  { schedule, next }: ReturnType<RunningStage['schedules']['nextTimes']>[number],
  width: number,
  zone: string,
): string {
  const { Name, State, ScheduleExpression, ScheduleExpressionTimezone: own } = schedule;
  const isRate = ScheduleExpression.startsWith('rate');
  const rule = isRate || own === zone ? ScheduleExpression : `${ScheduleExpression} ${own}`;
  const never = State === 'DISABLED' ? 'disabled' : 'never again';
  return `  ${Name.padEnd(width)} ${rule.padEnd(28)} next ${next === undefined ? never : summaryTime(next, zone)}`;
}

/** `Mon 23 Nov 22:00` */
function summaryTime(instant: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    day: '2-digit',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(instant);
  return parts.replaceAll(',', '');
}

/** What AWS does and this machine does not, besides what the template holds and no emulator knows. */
const neverEmulated =
  'quotas, throttling, KMS, alarms, dashboards, the freezing of idle functions, repeats of asynchronous invocations';

function gapLines(running: RunningStage, paint: Paint): string[] {
  return [
    '',
    paint('bold', 'Not emulated here'),
    ...[neverEmulated, ...running.assembly.unsupported].map((what) => `  ${what}`),
  ];
}

/** What of an earlier run is still to be done, if there is any. */
export function pastLine(left: FrontDoor['leftBehind'], outputs: StageOutputs): string[] {
  const short = new Map([
    [nameIn(outputs.CommandsQueueUrl), 'commands'],
    [nameIn(outputs.UploadsQueueUrl), 'uploads'],
  ]);
  const open = Object.entries(left).flatMap(([name, { visible, inFlight }]) =>
    visible + inFlight === 0 ? [] : `${visible + inFlight} in ${short.get(name) ?? name}`,
  );
  return open.length === 0 ? [] : ['', `  goes on with what the last run left: ${open.join(', ')}`];
}

function commandSchedule(schedules: readonly LocalSchedule[]): string {
  return schedules.find(({ Target }) => Target.Arn.split(':')[2] === 'sqs')?.Name ?? 'SCHEDULE';
}

function nameIn(url: string | undefined): string {
  return url?.split('/').at(-1) ?? '';
}
