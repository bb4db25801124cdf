import type { NowAnswer } from '../../api.ts';

type Run = NowAnswer['inFlight'][number];

/** How the stage stands, in one sentence that may lead up to an instant. */
export interface StageVerdict {
  readonly says: string;
  /** The sentence ends with this instant. */
  readonly until?: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
}

/** What a person asks first: does anything run, is anything held back, when does it go on. Pure. */
export function verdictOf(now: NowAnswer, at: number): StageVerdict {
  const runs = now.inFlight.filter(({ kind, isObserved }) => kind === 'run' && isObserved !== true);
  const doubted = runs.find(({ state }) => state === 'in doubt');
  if (doubted !== undefined) return { says: `${runName(doubted)}: no answer yet to its start`, tone: 'bad' };
  if (runs.length > 0) return running(runs, at);
  const freeze = now.switches.find(({ scope }) => scope === 'stage');
  if (freeze !== undefined) {
    const { until } = freeze;
    return { says: until === undefined ? 'Frozen until a person thaws it' : 'Frozen until', until, tone: 'warn' };
  }
  if (now.gate.state === 'closed') return { says: 'Nothing reaches the gateway: the gate is closed', tone: 'bad' };
  const next = nextStart(now)?.next;
  return { says: next === undefined ? 'Quiet: no start is scheduled' : 'Quiet until', until: next, tone: 'good' };
}

/** The run's configured name, or the end of its id. */
function runName({ run, subject }: Pick<Run, 'run' | 'subject'>): string {
  return run ?? subject;
}

function running(runs: readonly Run[], at: number): StageVerdict {
  const [first = { kind: 'run', subject: '', since: '' }] = runs.toSorted((a, b) => endOf(a) - endOf(b));
  const names = runs.map(runName);
  if (Date.parse(first.since) > at && runs.length === 1)
    return { says: `${runName(first)} begins`, until: first.since, tone: 'good' };
  const who = names.length === 1 ? `${names[0]} runs` : `${names.slice(0, 3).join(', ')} run`;
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  const { endsAt } = first;
  if (endOf(first) < at) return { says: `${runName(first)} runs past its planned stop`, tone: 'bad' };
  const until = names.length === 1 ? 'until' : '; the first stops';
  return endsAt === undefined
    ? { says: `${who}${more}; no stop is planned`, tone: 'good' }
    : { says: `${who}${more}${names.length === 1 ? ' ' : ''}${until}`, until: endsAt, tone: 'good' };
}

function endOf({ stopDueAt, endsAt = stopDueAt }: Run): number {
  return endsAt === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(endsAt);
}

/** The start that comes next. Pure. */
export function nextStart({ schedules }: NowAnswer): NowAnswer['schedules'][number] | undefined {
  return schedules
    .filter(({ action, next, isEnabled }) => action === 'start' && next !== undefined && isEnabled)
    .toSorted((a, b) => Date.parse(a.next ?? '') - Date.parse(b.next ?? ''))[0];
}

/** Whether a start at an instant falls into the freeze that is on. Pure. */
export function isFrozenAt({ switches }: NowAnswer, instant: string): boolean {
  const freeze = switches.find(({ scope }) => scope === 'stage');
  return freeze !== undefined && (freeze.until === undefined || Date.parse(instant) < Date.parse(freeze.until));
}

/** Whether tried work is the start of this run that has no answer: it is shown there, and only once. Pure. */
export function isOf({ id }: Pick<NowAnswer['pending'][number], 'id'>, { startCommandId, inDoubtSince }: Run): boolean {
  return inDoubtSince !== undefined && id === startCommandId;
}
