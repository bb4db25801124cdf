import { countedNeeds, type Finding } from '../finding.ts';
import { causeOf } from '../failures.ts';
import { counted } from '../readable.ts';
import { runLine, type RunReport } from '../run-state/run-report.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import type { ScheduleStatus } from '../status/schedule-status.ts';
import { readStatus, type SuppliesPart } from '../status/stage-status.ts';
import type { AlarmReport } from '../switches/alarm-holds.ts';
import type { Headline, ReadStatus, StageStatus } from '../status/status.ts';
import { endsOf, isInFlight } from '../run-state/run-groups.ts';
import { needsOf } from './needs.ts';

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
  const { gate } = status;
  const runs = status.runs.filter(isInFlight);
  if (runs.length > 0) return running(runs, status);
  if (gate.state === 'closed') {
    return { says: 'Nothing runs, and nothing can start: the gateway connection is down', tone: 'bad' };
  }
  const night = endsOf(status.runs);
  const { says, ...ahead } = lookAhead(status);
  return { says: night === undefined ? says : `Last night: ${night}. ${says}`, ...ahead };
}

/** When it goes on, or what keeps it from that. */
function lookAhead(status: ReadStatus): Headline {
  // One that was decided about is shown, and is no alarm any more.
  const tone = status.findings.length > 0 ? 'bad' : 'good';
  const warned = tone === 'bad' ? tone : 'warn';
  const [ringing] = status.alarms ?? [];
  if (ringing !== undefined) return { says: alarmWords(ringing), tone: 'bad' };
  const waiting = status.runs.find(({ state, tone: its }) => state === 'waiting' && its === 'warn');
  if (waiting !== undefined) return { says: runLine(waiting), tone: warned };
  const freeze = status.switches.find(({ scope }) => scope === 'stage');
  if (freeze !== undefined) {
    const { until } = freeze;
    return { says: until === undefined ? 'Frozen until you thaw it' : 'Frozen until', until, tone: warned };
  }
  if (status.mode === 'observe') return { says: 'The stage only observes: nothing starts', tone: warned };
  const sent = status.schedules.filter(({ skipped }) => skipped === undefined);
  const next = nextStart({ schedules: sent })?.next;
  if (next !== undefined) return { says: 'Quiet until', until: next, tone };
  return nextStart(status) === undefined
    ? { says: 'Quiet: no start is scheduled', tone }
    : { says: 'Nothing starts: the next start of each schedule is skipped', tone: warned };
}

function alarmWords({ alarm, campaign, isHeld }: AlarmReport): string {
  return `The alarm ${alarm} ${isHeld ? 'holds' : 'rings; the operator lifted its hold of'} ${campaign}`;
}

/** The worst is said of one run; else what they do, and when the first of them stops. */
function running(runs: readonly RunReport[], { gate }: ReadStatus): Headline {
  const worst = runs.find(({ tone }) => tone === 'bad') ?? runs.find(({ tone }) => tone === 'warn');
  const one = worst ?? (runs.length === 1 ? runs[0] : undefined);
  const headline = one === undefined ? several(runs) : { says: runLine(one), tone: toneOf(one) };
  if (gate.state !== 'closed') return headline;
  return { says: `${headline.says}; no stop can be sent: the gateway connection is down`, tone: 'bad' };
}

function toneOf({ tone }: RunReport): Headline['tone'] {
  return tone === 'plain' ? 'good' : tone;
}

/** Those that have begun come before those that are ahead. */
function several(runs: readonly RunReport[]): Headline {
  const begun = runs.filter(({ state }) => state !== 'scheduled');
  if (begun.length === 0) {
    return { says: `${namesOf(runs)} begin at`, until: firstOf(runs.map(({ startAt }) => startAt)), tone: 'good' };
  }
  const one = begun.length === 1;
  const until = firstOf(begun.flatMap(({ stopsAt }) => stopsAt ?? []));
  const stop = until === undefined ? 'no stop is planned' : one ? 'stops at' : 'the first stops at';
  return { says: `${namesOf(begun)} ${one ? 'runs' : 'run'}; ${stop}`, until, tone: 'good' };
}

const mostNamed = 3;

function namesOf(runs: readonly RunReport[]): string {
  const names = runs.slice(0, mostNamed).map(({ run }) => run);
  return runs.length > mostNamed
    ? `${names.join(', ')} and ${counted(runs.length - mostNamed, 'other')}`
    : names.join(', ');
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
