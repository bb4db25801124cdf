import { compareCommands } from '#shared/messages/campaign-run-command.ts';
import type { Evidence, Judged } from './evidence.ts';
import { type Command, commandRow, orderOf } from './judge-commands.ts';
import { type RunStory, storiesOf } from './run-story.ts';

/**
 * Runs that are not as their commands want them: begun by no start or by several, going on after a
 * later stop of them was done, or beside another run of a campaign that allows one. Each gives one
 * sentence.
 */
export function judgeRuns(evidence: Evidence): readonly Judged[] {
  const begun = [...storiesOf(evidence).values()].filter(isBegun).map((story): BegunRun => {
    return { story, starts: startsOf(story, evidence) };
  });
  return begun.flatMap((run): Judged[] => {
    const why = madeBy(run) ?? goesOn(run, evidence) ?? overlaps(run, begun, evidence);
    if (why === undefined) return [];
    const { id, transitions } = run.story;
    return [
      {
        key: `run ${id}`,
        fate: 'lost',
        broken: why,
        history: [...run.starts.flatMap(({ rows }) => rows), ...transitions],
      },
    ];
  });
}

type BegunStory = RunStory & Required<Pick<RunStory, 'beginsMs'>>;

interface BegunRun {
  readonly story: BegunStory;
  /** The starts that took its id. */
  readonly starts: readonly Command[];
}

function isBegun(story: RunStory): story is BegunStory {
  return story.beginsMs !== undefined;
}

function startsOf({ id }: RunStory, { commands }: Evidence): readonly Command[] {
  return commands.filter(({ event: { command }, rows }) => {
    if (command?.action !== 'start') return false;
    return (commandRow(rows)?.campaignRunId ?? command.target.campaignRunId) === id;
  });
}

/** I2: one start began it. */
function madeBy({ story, starts }: BegunRun): string | undefined {
  if (starts.length === 1) return undefined;
  const names = starts.map(({ event }) => event.command?.id ?? '').join(', ');
  return starts.length === 0 ? `${story.id} began, and no start took its id` : `${story.id} was taken by ${names}`;
}

/** A request that was under way as the outcome was written, and clocks that were moved between. */
const slackMs = 10_000;

/** I5, I8: it goes on, or begins, though a later stop of it has been done. */
function goesOn({ story, starts }: BegunRun, evidence: Evidence): string | undefined {
  const [start] = starts;
  if (start === undefined) return undefined;
  const stop = evidence.commands.find(
    (one) => isStopOf(one, start, story.id) && isDone(one, story) && isLater(one, start, evidence),
  );
  return stop && `goes on after the later ${stop.event.command?.id ?? 'stop'} was done`;
}

function isStopOf({ event: { command } }: Command, start: Command, id: string): boolean {
  if (command?.action !== 'stop') return false;
  const { campaignRunId, run } = command.target;
  return campaignRunId === undefined ? run === start.event.command?.run : campaignRunId === id;
}

/** The stop has its outcome, and the run went on after it. */
function isDone({ rows }: Command, { endsMs = Infinity }: RunStory): boolean {
  const outcome = commandRow(rows)?.outcome;
  if (outcome === undefined || outcome.kind === 'parked' || outcome.kind === 'superseded') return false;
  return endsMs > Date.parse(outcome.at) + slackMs;
}

function isLater(stop: Command, start: Command, evidence: Evidence): boolean {
  return compareCommands(orderOf(stop, evidence), orderOf(start, evidence)) > 0;
}

/** I11: two runs of a campaign that allows one. */
function overlaps({ story, starts }: BegunRun, begun: readonly BegunRun[], evidence: Evidence): string | undefined {
  const name = starts[0]?.event.command?.run;
  const isSkipping = evidence.plan.runs.some((run) => run.name === name && run.overlap === 'skip');
  if (!isSkipping) return undefined;
  const other = begun.find(
    (one) =>
      one.story.id !== story.id &&
      one.starts[0]?.event.command?.run === name &&
      one.story.beginsMs < story.beginsMs &&
      (one.story.endsMs ?? Infinity) > story.beginsMs &&
      !isLeftRunning(one, evidence),
  );
  return other && `began while ${other.story.id} of the same campaign was running`;
}

/** A stop of it was parked: whether it goes on is not known. */
function isLeftRunning({ story: { id } }: BegunRun, { commands }: Evidence): boolean {
  return commands.some(({ event, rows }) => {
    const row = commandRow(rows);
    return event.command?.action === 'stop' && row?.outcome?.kind === 'parked' && Object.hasOwn(row.stops ?? {}, id);
  });
}
