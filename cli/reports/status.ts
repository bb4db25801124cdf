import type { LineSpec } from '#shared/text/program-arguments.ts';
import { UsageError } from '#operator/errors.ts';
import { type Failure, failureOf } from '#operator/failures.ts';
import { nextStart, readStageStatus } from '#operator/needs/read-stage-status.ts';
import { countedNeeds } from '#operator/finding.ts';
import type { StageStatus } from '#operator/status/status.ts';
import { roughly } from '#operator/readable.ts';
import type { Paint, Style } from '#shared/text/terminal-writer.ts';
import {
  type Command,
  type CommandDeps,
  type CommandResult,
  type ExitCode,
  exitCodes,
  exitOfFailure,
  gravestExit,
  type SeveralStage,
} from '../terminal/command.ts';
import type { CommandArguments } from '../terminal/arguments.ts';
import { failureLines } from '../terminal/asked-stages.ts';
import { findingLines, needsWords } from '../terminal/findings.ts';
import { refuseDocument } from '../terminal/go-on.ts';
import { columns } from '../terminal/output.ts';
import { leadingTo, type Times } from '../terminal/times.ts';
import { statusLines } from './status-lines.ts';

const spec: LineSpec = {
  says: 'One look at a stage: what needs attention, with the command that helps, and what comes next.',
  more: 'Times are by the clock of the stage, or in UTC with --utc. Several stages have a line each, those that need attention first.',
  options: { '--watch': 'again every two seconds, until Ctrl-C' },
  examples: [
    'autopilot status --watch',
    'autopilot status --stage prod@eu-west-1:ops --stage dr@eu-west-2:ops',
    "autopilot status --json | jq '.queues[] | select(.isDeadLetter)'",
  ],
};

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  return watchable(args, async () => looked(deps));
}

async function runSeveral(...[args, stages]: Parameters<NonNullable<Command['runSeveral']>>): Promise<CommandResult> {
  return watchable(args, async () => severalStatuses(stages));
}

async function watchable(args: CommandArguments, look: () => Promise<CommandResult>): Promise<CommandResult> {
  if (!args.flag('watch')) return look();
  refuseDocument('watch', args.flag('json'));
  const watched = async (): Promise<CommandResult> => ({
    ...(await look()),
    goesOn: { isRedrawn: true, next: watched },
  });
  return watched();
}

async function looked(deps: CommandDeps): Promise<CommandResult> {
  const status = await readStageStatus(deps);
  const where = deps.target.kind === 'local' ? `local run at ${deps.target.endpoint}` : 'AWS';
  return {
    data: status,
    now: new Date(status.now),
    render: (screen) => statusLines(status, where, screen),
  };
}

export const command: Command = { line: spec, run, runSeveral };

type SeenStage = SeveralStage & ({ readonly found: StageStatus } | { readonly failure: Failure });

/** `autopilot status` of several stages: a row for each, and beneath what needs a person, with the command for it. */
export async function severalStatuses(stages: readonly SeveralStage[]): Promise<CommandResult> {
  const seen = await Promise.all(stages.map(lookAt));
  const data = seen.map((stage) => ({
    asked: stage.label,
    ...('failure' in stage ? { error: stage.failure } : stage.found),
    exitCode: exitOf(stage),
  }));
  return {
    exitCode: gravestExit(seen.map(exitOf)),
    data,
    render: ({ paint }, times) => severalLines(mostUrgentFirst(seen), paint, times),
  };
}

/** One that cannot be looked at says why, and hides no other. */
async function lookAt(stage: SeveralStage): Promise<SeenStage> {
  let deps: CommandDeps | undefined;
  try {
    deps = stage.open();
    return { ...stage, found: await readStageStatus(deps) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return { ...stage, failure: failureOf(error, deps?.target) };
  }
}

function exitOf(stage: SeenStage): ExitCode {
  return 'failure' in stage ? exitOfFailure(stage.failure) : exitCodes.done;
}

/**
 * Unread stages, which may need anything, then those that need a person most; the others as they
 * were asked for.
 */
function mostUrgentFirst(stages: readonly SeenStage[]): readonly SeenStage[] {
  const tones = ['red', 'yellow', undefined];
  const placeOf = (stage: SeenStage) => ('failure' in stage ? -1 : tones.indexOf(styleOf(stage)));
  return stages.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function severalLines(seen: readonly SeenStage[], paint: Paint, times: Times): readonly string[] {
  const head = ['stage', 'needs attention', 'in flight', 'retrying', 'next start'];
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
  const next = nextStart(found);
  const ahead = found.clock === undefined ? '' : `(its clock is ${roughly(found.clock.offsetMs)} ahead)`;
  return [
    stage.label,
    needsWords(found.needs),
    String(found.inFlight.length),
    String(found.pending.length),
    [
      next?.next === undefined ? '' : `${next.name} ${times(new Date(found.now)).at(next.next)}`,
      next?.skipped === undefined ? '' : `(will be skipped: ${next.skipped})`,
      ahead,
    ]
      .filter(Boolean)
      .join(' '),
  ];
}

function styleOf(stage: SeenStage): Style | undefined {
  if ('failure' in stage) return 'red';
  const { problems, warnings } = countedNeeds(stage.found.needs);
  return problems > 0 ? 'red' : warnings > 0 ? 'yellow' : undefined;
}

function styled(line: string, stage: SeenStage | undefined, paint: Paint): string {
  const style = stage && styleOf(stage);
  return style === undefined ? line : paint(style, line);
}

function needLines(stage: SeenStage, paint: Paint, times: Times): readonly string[] {
  const lines =
    'failure' in stage
      ? failureLines(stage.failure, { stageWords: stage.words })
      : findingLines(stage.found.needs, {
          paint,
          ...leadingTo(times, { stageWords: stage.words })(new Date(stage.found.now)),
        }).map((line) => `  ${line}`);
  return lines.length === 0 ? [] : ['', paint('bold', stage.label), ...lines];
}
