import { needsOf } from '#operator/doctor/status-findings.ts';
import { UsageError } from '#operator/errors.ts';
import { lookAtAll, mostUrgentFirst, type Seen } from '#operator/doctor/several-stages.ts';
import { readStageStatus, type StageStatus } from '#operator/status/stage-status.ts';
import { roughly } from '#operator/readable.ts';
import type { Paint, Style } from '#shared/text/terminal-writer.ts';
import {
  type Command,
  type CommandDeps,
  type CommandResult,
  exitCodes,
  type SeveralStage,
} from '../terminal/command.ts';
import type { CommandArguments } from '../terminal/arguments.ts';
import { linesAbout, printedList } from '../terminal/asked-stages.ts';
import { refuseDocument } from '../terminal/go-on.ts';
import { columns } from '../terminal/output.ts';
import type { Times } from '../terminal/times.ts';
import { statusLines } from './status-lines.ts';

const help = `autopilot status [--watch]

One look at a stage: whether it acts or only observes, what is frozen or paused,
whether its workers may call the gateway, queues and dead letters, schedules
with their next times, until which night the ids of each run last, what is
parked and why, what is in flight or deferred, commands and uploads that were
tried and have no outcome yet, the last outcomes.
Times are in your zone on a terminal (TZ sets it), and in UTC in a file.

Of several stages, a line each: those that cannot be read first, then those that
need a person, and beneath them what to do. --json is then a list.

  --watch                   again every two seconds, until Ctrl-C

Examples
  autopilot status
  autopilot status --watch
  autopilot status --aws --stage prod
  autopilot status --stage prod@eu-west-1:ops --stage dr@eu-west-2:ops
  autopilot status --json | jq '.queues[] | select(.isDeadLetter)'`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  return watchable(args, async () => screen(deps));
}

async function runSeveral(...[args, stages]: Parameters<NonNullable<Command['runSeveral']>>): Promise<CommandResult> {
  return watchable(args, async () => severalStatuses(stages));
}

/** One look, or one after the other. */
async function watchable(args: CommandArguments, look: () => Promise<CommandResult>): Promise<CommandResult> {
  const [word] = args.positionals;
  if (word !== undefined)
    throw new UsageError(`status takes no words, and "${word}" is one: name a stage with --stage`);
  if (!args.flag('watch')) return look();
  refuseDocument('watch', args.flag('json'));
  const watched = async (): Promise<CommandResult> => ({
    ...(await look()),
    goesOn: { isRedrawn: true, next: watched },
  });
  return watched();
}

async function screen(deps: CommandDeps): Promise<CommandResult> {
  const status = await readStageStatus(deps);
  const where = deps.target.kind === 'local' ? `local run at ${deps.target.endpoint}` : 'AWS';
  return {
    exitCode: exitCodes.done,
    data: status,
    render: (paint, times) => statusLines(status, where, { paint, ...times(new Date(status.now)) }),
  };
}

/** `autopilot status`. */
export const command: Command = { help, options: { watch: { type: 'boolean' } }, run, runSeveral };

type SeenStage = SeveralStage & Seen<StageStatus>;

/** `autopilot status` of several stages: a row for each, and beneath what needs a person, with the command for it. */
export async function severalStatuses(stages: readonly SeveralStage[]): Promise<CommandResult> {
  const seen = await lookAtAll(stages, readStageStatus);
  const printed = seen.map((stage) =>
    'failure' in stage ? stage : { ...stage, found: { data: stage.found, exitCode: exitCodes.done } },
  );
  return {
    ...printedList(printed),
    render: (paint, times) => severalLines(mostUrgentFirst(seen), paint, times),
  };
}

function severalLines(seen: readonly SeenStage[], paint: Paint, times: Times): readonly string[] {
  const head = ['stage', 'needs a person', 'in flight', 'pending', 'next start'];
  const [first = '', ...rows] = columns([head, ...seen.map((stage) => rowOf(stage, times))]);
  return [
    paint('bold', `${seen.length} stages`) + nowOf(seen, times),
    '',
    paint('bold', first),
    ...rows.map((line, index) => styled(line, seen[index], paint)),
    ...seen.flatMap((stage) => needLines(stage, paint, times)),
  ];
}

/** The time of each is that of its own clock; deployed ones have one time. */
function nowOf(seen: readonly SeenStage[], times: Times): string {
  const read = seen.find((stage) => 'found' in stage);
  return read === undefined ? '' : `, ${times(new Date(read.found.now)).head}`;
}

function rowOf(stage: SeenStage, times: Times): readonly string[] {
  if ('failure' in stage) return [stage.label, 'NOT READ'];
  const { found } = stage;
  // A worker that is woken each minute says nothing of the night.
  const next = found.schedules.find((schedule) => schedule.action === 'start' && schedule.next !== undefined);
  const ahead = found.clock === undefined ? '' : `(its clock is ${roughly(found.clock.offsetMs)} ahead)`;
  return [
    stage.label,
    sumOf(needsOf(found)),
    String(found.inFlight.length),
    String(found.pending.length),
    [next?.next === undefined ? '' : `${next.name} ${times(new Date(found.now)).at(next.next)}`, ahead]
      .filter(Boolean)
      .join(' '),
  ];
}

function sumOf(needs: ReturnType<typeof needsOf>): string {
  const problems = needs.filter(({ state }) => state === 'problem').length;
  const words = [
    problems === 0 ? '' : `${problems} to act on`,
    needs.length === problems ? '' : `${needs.length - problems} to know`,
  ];
  return words.filter((word) => word !== '').join(', ') || 'nothing';
}

function styleOf(stage: SeenStage | undefined): Style | undefined {
  if (stage === undefined || 'failure' in stage) return 'red';
  const [first] = needsOf(stage.found);
  return first === undefined ? undefined : first.state === 'problem' ? 'red' : 'yellow';
}

function styled(line: string, stage: SeenStage | undefined, paint: Paint): string {
  const style = styleOf(stage);
  return style === undefined ? line : paint(style, line);
}

function needLines(stage: SeenStage, paint: Paint, times: Times): readonly string[] {
  const when = 'failure' in stage ? undefined : times(new Date(stage.found.now));
  const lines =
    'failure' in stage
      ? [stage.failure.message]
      : needsOf(stage.found).map(({ subject, says, next }) =>
          [`${subject}: ${says}`, ...(next === undefined ? [] : [`next: ${next}`])].join('; '),
        );
  return lines.length === 0 ? [] : ['', paint('bold', stage.label), ...linesAbout(stage, lines, when)];
}
