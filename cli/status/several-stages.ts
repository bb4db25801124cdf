import type { CommandResult, SeveralStage } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { columns } from '../terminal/output.ts';
import { linesAbout, listOf } from '../terminal/several-stages.ts';
import type { Times } from '../terminal/times.ts';
import { needsOf } from '#operator/doctor/status-findings.ts';
import { lookAtAll, mostUrgentFirst, type Seen } from '#operator/status/several-stages.ts';
import { readStageStatus, type StageStatus } from '#operator/status/stage-status.ts';
import type { Paint, Style } from '#shared/text/terminal-writer.ts';

type SeenStage = SeveralStage & Seen<StageStatus>;

/** `autopilot status` of several stages: a row for each, and beneath what needs a person, with the command for it. */
export async function severalStatuses(stages: readonly SeveralStage[]): Promise<CommandResult> {
  const seen = await lookAtAll(stages, readStageStatus);
  const printed = seen.map((stage) =>
    'failure' in stage ? stage : { ...stage, found: { data: stage.found, exitCode: exitCodes.done } },
  );
  return {
    ...listOf(printed),
    render: (paint, times) => severalLines(mostUrgentFirst(seen), paint, times),
  };
}

function severalLines(seen: readonly SeenStage[], paint: Paint, times: Times): readonly string[] {
  const head = ['stage', 'needs a person', 'in flight', 'next'];
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
  const next = found.schedules.find((schedule) => schedule.next !== undefined);
  return [
    stage.label,
    sumOf(needsOf(found)),
    String(found.inFlight.length + found.pending.length),
    next?.next === undefined ? '' : `${next.name} ${times(new Date(found.now)).at(next.next)}`,
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
