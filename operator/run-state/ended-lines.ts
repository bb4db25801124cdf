/** The lines of the table about runs that are over, or that never were. Pure. */
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { hasFailed, promptErrors, type RunRead } from '#shared/ledger/rows/run-reading.ts';
import type { Step } from '#shared/text/step.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { meaningOf } from '#shared/vocabulary/reason-codes.ts';
import { roughly, withInstants } from '../readable.ts';
import { runIdOf } from './run-rows.ts';
import type { Line, Look, StateWords } from './look.ts';

/** Starts a run of this name with another id. */
export function startAgain({ start }: Pick<Look, 'start'>, says: string): Step {
  return { says, command: ['autopilot', 'send', 'start', start.command.run ?? ''] };
}

/** Asks for the stop of this run. */
export function stopIt({ start }: Pick<Look, 'start'>, says: string): Step {
  return { says, command: ['autopilot', 'send', 'stop', runIdOf(start) ?? ''] };
}

const observed: Line = ({ start, at, startAt }) => {
  if (start.isObserved !== true) return undefined;
  const { kind, reason } = start.outcome ?? {};
  const isStart = kind === undefined || kind === 'applied';
  const would = isStart ? `begun ${at(startAt)}` : `been ${[kind, reason].filter(Boolean).join(' ')}`;
  return { state: 'observed', tone: 'plain', says: `would have ${would}; the stage only observes` };
};

const notStarted: Line = ({ start: { outcome, mayHaveRun }, at }) => {
  if (outcome === undefined || outcome.kind === 'applied' || mayHaveRun !== undefined) return undefined;
  const { kind, reason, detail } = outcome;
  if (kind === 'superseded') return { state: 'not-started', tone: 'plain', says: 'a later command replaced it' };
  const why = kind === 'parked' && detail !== undefined ? withInstants(detail, at) : meaningOf(reason);
  const says = kind === 'parked' ? `not started: ${why}` : `skipped ${reason ?? ''}: ${why}`;
  return { state: 'not-started', tone: kind === 'parked' ? 'bad' : 'warn', says };
};

const failed: Line = (look) => {
  const { reading, start } = look;
  if (reading === undefined || !hasFailed(reading)) return undefined;
  const isOver = reading.status !== 'in_progress' && reading.status !== 'cancelling';
  if (!isOver) return undefined;
  const says =
    reading.status === 'schedule_error'
      ? 'could not begin (schedule_error)'
      : `failed after ${lasted(look, reading)}${readingWords(reading)}`;
  const next = startAgain({ start }, 'Find out why at the gateway. To start it again:');
  return { state: 'failed', tone: 'bad', says, endedAt: reading.at, next };
};

const complete: Line = (look) => {
  const { reading } = look;
  if (reading?.status !== 'complete') return undefined;
  const says = `complete after ${lasted(look, reading)}${readingWords(reading)}`;
  const tone = promptErrors(reading) === undefined ? 'good' : 'warn';
  return { state: 'complete', tone, says, endedAt: reading.at };
};

function lasted({ startAt }: Look, { at }: RunRead): string {
  return roughly(Math.max(0, Date.parse(at) - Date.parse(startAt)));
}

const grouped = new Intl.NumberFormat('en-US');

/** `: provider acme, 40 of 40 prompts; 610 of 1,180, score 87`. */
export function readingWords({ progress, total, score, providers = [] }: RunRead): string {
  const broken = providers.map(({ name, errors, prompts, failed: isFailed }) => {
    const of = prompts === undefined ? `${errors} prompts` : `${errors} of ${grouped.format(prompts)} prompts`;
    return `${isFailed ? 'provider' : 'errors at'} ${name}, ${of}`;
  });
  const rest = [
    progress !== undefined && total !== undefined ? `${grouped.format(progress)} of ${grouped.format(total)}` : '',
    score === undefined ? '' : `score ${score}`,
  ].filter(Boolean);
  return `${broken.length === 0 ? '' : `: ${broken.join('; ')}`}${rest.map((words) => `, ${words}`).join('')}`;
}

/** When it was stopped: by a stop of ours that was answered by a yes, or as the gateway shows. */
function stoppedAt({ end, reading }: Look): string | undefined {
  if (end?.how === 'stopped') return end.at;
  return reading?.status === 'cancelled' ? reading.at : undefined;
}

/** A stop is sent within a minute of its time; what is later than two is late for a reason. */
export const lateMs = 2 * 60_000;

const stopped: Line = (look) => {
  const { end, start, startAt, at, stop } = look;
  const endedAt = stoppedAt(look);
  if (endedAt === undefined) return undefined;
  const by = stop === undefined || end?.by !== stop.id ? ' at the gateway by others' : byStop(stop, start);
  const isWord = start.requests?.last.isWord === true;
  if (!isWord && Date.parse(endedAt) < Date.parse(startAt)) {
    const says = `cancelled ${at(endedAt)}${by}, before it began`;
    return { state: 'cancelled', tone: 'plain', says, endedAt };
  }
  const overMs = Date.parse(endedAt) - Date.parse(look.stopsAt ?? endedAt);
  const late = overMs > lateMs ? `, ${roughly(overMs)} late` : '';
  return { state: 'stopped', tone: 'plain', says: `stopped ${at(endedAt)}${by}${late}`, endedAt };
};

/** Who asked for a stop. */
export function byStop({ id, command }: CommandRow, start: Pick<CommandRow, 'id'>): string {
  if (id === commandIds.plannedStop(start.id)) return ' by its planned stop';
  if (id === commandIds.end(start.id)) return command.reason === undefined ? '' : `, since ${command.reason}`;
  return ` by ${command.origin.kind} ${command.origin.name}`;
}

const foundEnded: Line = ({ end, at }) => {
  if (end?.how !== 'ended' && end?.how !== 'shown') return undefined;
  return { state: 'over', tone: 'plain', says: `had ended when its stop came, ${at(end.at)}`, endedAt: end.at };
};

const notStopped: Line = (look) => {
  const { end, stop } = look;
  if (end?.how !== 'refused' && end?.how !== 'given-up') return undefined;
  const status = stop?.parked?.httpStatus;
  const how = end.how === 'refused' ? `refused${status === undefined ? '' : ` (${status})`}` : 'given up';
  const next = stopIt(look, 'Stop it at the gateway if it must end now; or ask again:');
  return { state: 'not-stopped', tone: 'bad', says: `its stop was ${how}: it may still run`, next };
};

/** Lines 1 to 7, in their order. */
export const endedLines: readonly Line[] = [observed, notStarted, failed, complete, stopped, foundEnded, notStopped];

/** One that counts as in flight no longer, of which nothing tells how it ended. */
export const countedOut: Line = ({ start, entry, now, at }): StateWords | undefined => {
  const { endsAt } = start.facts ?? {};
  const isCounted = entry !== undefined && (entry.plansStop || entry.state !== 'running');
  if (endsAt === undefined || isCounted || Date.parse(endsAt) > now.getTime()) return undefined;
  const says = `over since ${at(endsAt)}; how it ended is not known`;
  return { state: 'over', tone: 'plain', says, endedAt: endsAt };
};
