/** How a campaign run lives, by profile: what a change makes of it, and what it does by itself. */
import type { ProfileOptions } from '../model/profile.ts';
import type { CampaignRun, CampaignRunChange, Transition } from '../model/resources.ts';

/** The life of runs; pure, so a moved clock needs no timer. */
export interface RunRules {
  /** The run after the change; nothing if the run's status forbids it. */
  readonly change: (run: CampaignRun, change: CampaignRunChange, made: Made) => CampaignRun | undefined;
  /** The next thing that the run does by itself, if its time has come. */
  readonly next: (run: CampaignRun, now: Date) => RunStep | undefined;
  /** Returns true if this change of status begins the run, so that its campaign counts it. */
  readonly begins: (from: string, to: string) => boolean;
}

/** When a change is made, and on which side of the gateway. */
interface Made {
  readonly at: Date;
  readonly by: Transition['by'];
}

/** The run from that time on. */
export interface RunStep {
  readonly at: Date;
  readonly run: CampaignRun;
}

/** The words of a run's status in the profile `real`. */
export const runStatuses = [
  'scheduled',
  'in_progress',
  'complete',
  'error',
  'cancelling',
  'cancelled',
  'schedule_error',
] as const;

/** A run begins at its `startAt`, ends after its length, runs once, and can be cancelled. */
export function realRules(late: ProfileOptions['late'], lengthMsOf: (run: CampaignRun) => number): RunRules {
  return {
    change(run, change, { at, by }) {
      if (by === 'control') return changedByHand(run, change, at);
      return late === 'refuse' && isLate(run, change) ? undefined : changedInTime(run, change);
    },
    next(run, now) {
      const startsAt = Date.parse(run.startAt);
      if (run.status === 'scheduled' && startsAt <= now.getTime())
        return { at: new Date(startsAt), run: { ...run, status: 'in_progress' } };
      const endsAt = startsAt + lengthMsOf(run);
      if (run.status === 'in_progress' && endsAt <= now.getTime())
        return { at: new Date(endsAt), run: { ...run, status: 'complete' } };
      return undefined;
    },
    begins: (from, to) => to === 'in_progress' && from !== 'in_progress',
  };
}

function canEnd({ status }: CampaignRun): boolean {
  return status === 'scheduled' || status === 'in_progress';
}

/** Returns true for a cancel of a run that has ended, and for a new `startAt` of one that has begun. */
function isLate(run: CampaignRun, { status, startAt }: CampaignRunChange): boolean {
  return (isGiven(status) && !canEnd(run)) || (isGiven(startAt) && run.status !== 'scheduled');
}

/** What comes late changes nothing. */
function changedInTime(run: CampaignRun, change: CampaignRunChange): CampaignRun {
  const startAt = run.status === 'scheduled' ? change.startAt : null;
  const status = canEnd(run) ? change.status : null;
  return merged(run, { ...change, startAt, status });
}

/** The control surface sets any status; a run without a `startAt`, or made to run, begins now. */
function changedByHand(run: CampaignRun, change: CampaignRunChange, at: Date): CampaignRun {
  const changed = merged(run, change);
  const status = changed.startAt === '' && !isGiven(change.status) ? 'in_progress' : changed.status;
  const isBegun = status === 'in_progress' && run.status !== status;
  return { ...changed, status, startAt: isBegun ? at.toISOString() : changed.startAt };
}

function merged(run: CampaignRun, { name, preserve, startAt, status }: CampaignRunChange): CampaignRun {
  return {
    ...run,
    name: name ?? run.name,
    preserve: preserve ?? run.preserve,
    startAt: startAt ?? run.startAt,
    status: status ?? run.status,
  };
}

/** Returns true for a field that a body has. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

const startWords: ReadonlySet<string> = new Set(['running', 'in_progress', 'started']);

/** Any status word is taken and kept, and nothing happens by itself. */
export const interfaceRules: RunRules = {
  change: merged,
  next: () => undefined,
  begins: (from, to) => startWords.has(to) && !startWords.has(from),
};
