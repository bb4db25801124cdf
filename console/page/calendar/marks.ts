import type { CalendarAnswer } from '../../api.ts';

/** One command at its time: what was done, skipped, put off or parked, or what would be. */
export interface Mark {
  readonly id: string;
  readonly at: number;
  readonly action: 'start' | 'stop' | 'update';
  readonly run: string;
  readonly outcome: string;
  readonly isPlanned: boolean;
  readonly reason?: string;
  /** Why, in a sentence. */
  readonly detail?: string;
  readonly by: string;
  /** A start that is put off is due again then. */
  readonly until?: number;
  /** A stop: the start that it ends, if that is known. */
  readonly endsId?: string;
}

type Past = CalendarAnswer['past'][number];
type Planned = CalendarAnswer['planned'][number];

/** Every command of the period by its time. Pure. */
export function marksOf({ past, planned }: CalendarAnswer): readonly Mark[] {
  return [
    ...past.flatMap((entry) => [...deferralOf(entry), pastMark(entry, past)]),
    ...planned.map(plannedMark),
  ].toSorted((a, b) => a.at - b.at);
}

function pastMark(entry: Past, past: readonly Past[]): Mark {
  const { id, action, outcome, reason, detail, askedBy, askedAt, at } = entry;
  // What was not done stands where it was due; what was done, where it was done.
  const isDone = outcome === 'applied';
  const said = detail ?? entry.refusals.map(({ guard, detail: words }) => `${guard}: ${words ?? 'no'}`).join('; ');
  return {
    id,
    at: Date.parse(isDone ? at : askedAt),
    action,
    run: entry.run ?? entry.campaignRunId ?? '',
    outcome,
    isPlanned: false,
    reason,
    detail: said === '' ? undefined : said,
    by: `${askedBy.kind} ${askedBy.name}`,
    endsId: action === 'stop' ? startOf(entry, past)?.id : undefined,
  };
}

function startOf(stop: Past, past: readonly Past[]): Past | undefined {
  return past
    .filter(({ action, outcome, at }) => action === 'start' && outcome === 'applied' && at <= stop.at)
    .filter(({ run, campaignRunId }) => campaignRunId === stop.campaignRunId && run === stop.run)
    .toSorted((a, b) => b.at.localeCompare(a.at))[0];
}

/** A start that was put off and done later leaves a mark where it was due. */
function deferralOf(entry: Past): Mark[] {
  const deferral = entry.refusals.find(({ verdict }) => verdict === 'defer');
  if (deferral === undefined || entry.outcome !== 'applied') return [];
  return [
    {
      id: `${entry.id} put off`,
      at: Date.parse(entry.askedAt),
      action: entry.action,
      run: entry.run ?? '',
      outcome: 'deferred',
      isPlanned: false,
      reason: deferral.guard,
      detail: deferral.detail,
      by: `${entry.askedBy.kind} ${entry.askedBy.name}`,
      until: Date.parse(entry.at),
    },
  ];
}

function plannedMark(command: Planned): Mark {
  const { id, at, action, run = '', outcome, reason, detail, origin, until } = command;
  return {
    id,
    at: Date.parse(at),
    action,
    run,
    outcome,
    isPlanned: true,
    reason,
    detail,
    by: `${origin.kind} ${origin.name}`,
    until: until === undefined ? undefined : Date.parse(until),
  };
}
