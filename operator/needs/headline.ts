import { countedNeeds, type Finding } from '../finding.ts';
import { causeOf } from '../failures.ts';
import { counted } from '../readable.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import type { ScheduleStatus } from '../status/schedule-status.ts';
import { readStatus, type SuppliesPart } from '../status/stage-status.ts';
import type { Headline, ReadStatus, StageStatus, StatusInFlight } from '../status/status.ts';
import { needsOf } from './needs.ts';
import { isLate } from './run-needs.ts';

/**
 * Reads a stage as `status` tells it, with what needs attention and the headline.
 * @param suppliesPart - reads the part that asks a function of the stage; without it, a stage that
 *   does not answer has no ids
 */
export async function readStageStatus(
  deps: OperatorDeps,
  suppliesPart: SuppliesPart = async (read) => read().catch(causeOf),
): Promise<StageStatus> {
  const status = await readStatus(deps, suppliesPart);
  const needs = needsOf(status);
  return { ...status, needs, headline: headlineOf(status, needs) };
}

/** What you ask first: does anything run, can it be stopped, is anything blocked, when does it go on? Pure. */
export function headlineOf(status: ReadStatus, needs: readonly Finding[]): Headline {
  const headline = standing(status);
  const { problems } = countedNeeds(needs);
  // No green light above a list of problems.
  return headline.tone === 'good' && problems > 0 ? { ...headline, tone: 'warn' } : headline;
}

function standing(status: ReadStatus): Headline {
  const { gate, switches } = status;
  const runs = status.inFlight.filter(({ kind, isObserved }) => kind === 'run' && isObserved !== true);
  if (runs.length > 0) return running(runs, status);
  if (gate.state === 'closed') {
    return { says: 'Nothing runs, and nothing can start: the gateway connection is down', tone: 'bad' };
  }
  const freeze = switches.find(({ scope }) => scope === 'stage');
  if (freeze !== undefined) {
    const { until } = freeze;
    return { says: until === undefined ? 'Frozen until you thaw it' : 'Frozen until', until, tone: 'warn' };
  }
  const next = nextStart(status)?.next;
  return next === undefined
    ? { says: 'Quiet: no start is scheduled', tone: 'good' }
    : { says: 'Quiet until', until: next, tone: 'good' };
}

function running(runs: readonly StatusInFlight[], { gate, now }: ReadStatus): Headline {
  const at = new Date(now);
  const down = gate.state === 'closed' ? '; no stop can be sent: the gateway connection is down' : '';
  const late = runs.find((run) => isLate(run, at));
  if (late !== undefined) return { says: `${nameOf(late)} goes on past its planned stop${down}`, tone: 'bad' };
  const doubted = runs.find(({ inDoubtSince }) => inDoubtSince !== undefined);
  if (doubted !== undefined) {
    return { says: `${nameOf(doubted)} may be running: no answer yet to its start${down}`, tone: 'bad' };
  }
  const ahead = runs.filter(({ since }) => Date.parse(since) > at.getTime());
  const shown = ahead.length === runs.length ? ahead : runs.filter((run) => !ahead.includes(run));
  const says = `${namesOf(shown)} ${verbOf(shown, ahead.length === runs.length)}`;
  if (down !== '') return { says: `${says}${down}`, tone: 'bad' };
  if (shown === ahead) return { says: `${says} at`, until: firstOf(shown.map(({ since }) => since)), tone: 'good' };
  const until = firstOf(shown.flatMap(({ stopDueAt, endsAt = stopDueAt }) => endsAt ?? []));
  const tone = shown.some(({ confirm }) => confirm === 'missing') ? 'warn' : 'good';
  if (until === undefined) return { says: `${says}; no stop is planned`, tone };
  return { says: `${says}${shown.length === 1 ? '; stops at' : '; the first stops at'}`, until, tone };
}

/** A run that was sent and not confirmed is not said to run. */
function verbOf(runs: readonly StatusInFlight[], isAhead: boolean): string {
  const one = runs.length === 1;
  if (isAhead) return one ? 'begins' : 'begin';
  if (runs.some(({ state }) => state === 'starting')) return one ? 'is starting' : 'are starting';
  if (runs.some(({ confirm }) => confirm === 'missing')) return 'started, but the campaign does not show it';
  if (runs.some(({ confirm }) => confirm === 'awaited')) {
    return one ? 'was started, not confirmed yet' : 'were started, not all confirmed yet';
  }
  return one ? 'runs' : 'run';
}

const mostNamed = 3;

function namesOf(runs: readonly StatusInFlight[]): string {
  const names = runs.slice(0, mostNamed).map(nameOf).join(', ');
  return runs.length > mostNamed ? `${names} and ${counted(runs.length - mostNamed, 'other')}` : names;
}

function nameOf({ run, subject }: StatusInFlight): string {
  return run ?? subject;
}

function firstOf(times: readonly string[]): string | undefined {
  return times.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
}

/** The start that comes next. Pure. */
export function nextStart<Schedule extends Pick<ScheduleStatus, 'action' | 'next' | 'isEnabled'>>({
  schedules,
}: {
  readonly schedules: readonly Schedule[];
}): Schedule | undefined {
  return schedules
    .filter(({ action, next, isEnabled }) => action === 'start' && next !== undefined && isEnabled)
    .toSorted((a, b) => Date.parse(a.next ?? '') - Date.parse(b.next ?? ''))[0];
}
