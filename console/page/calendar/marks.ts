import type { CalendarAnswer } from '../../api.ts';

/** One command at its time: what was done, skipped, deferred or parked, or what would be. */
export interface Mark {
  /** Unlike every other mark's: a planned stop has the id of its start. */
  readonly key: string;
  /** Of the command. */
  readonly id: string;
  readonly at: number;
  readonly action: 'start' | 'stop';
  readonly run: string;
  readonly outcome: string;
  readonly isPlanned: boolean;
  readonly reason?: string;
  /** Why, in a sentence. */
  readonly detail?: string;
  readonly by: string;
  /** A start that is deferred is due again then. */
  readonly until?: number;
  /** A stop: the start that it ends, if that is known. */
  readonly endsId?: string;
}

/** Its result in words; of what is planned, what it will be. Pure. */
export function stateOf({ outcome, action, isPlanned }: Mark): string {
  if (!isPlanned) return outcome;
  return outcome === 'applied' ? `will ${action}` : `will be ${outcome}`;
}

type Past = CalendarAnswer['past'][number];
type Planned = CalendarAnswer['planned'][number];

/** Every command of the period by its time. Pure. */
export function marksOf({ past, planned }: CalendarAnswer): readonly Mark[] {
  const startOf = new Map(past.flatMap(({ id, stopId }) => (stopId === undefined ? [] : [[stopId, id]])));
  return [
    ...past.flatMap((entry) => [...deferralOf(entry), pastMark(entry, startOf.get(entry.id))]),
    ...planned.map(plannedMark),
  ].toSorted((a, b) => a.at - b.at);
}

/** @param endsId - of a stop: the start that it ends, if that is known */
function pastMark(entry: Past, endsId: string | undefined): Mark {
  const { id, action, outcome, reason, detail, askedBy, askedAt, at } = entry;
  // What was not done stands where it was due; what was done, where it was done.
  const isDone = outcome === 'applied';
  const said = detail ?? entry.refusals.map(({ guard, detail: words }) => `${guard}: ${words ?? 'no'}`).join('; ');
  return {
    key: `${action} ${id}`,
    id,
    at: Date.parse(isDone ? at : askedAt),
    action,
    run: entry.run ?? entry.campaignRunId ?? '',
    outcome,
    isPlanned: false,
    reason,
    detail: said === '' ? undefined : said,
    by: `${askedBy.kind} ${askedBy.name}`,
    endsId,
  };
}

/** A start that was deferred and has its outcome since leaves a mark where it was due. */
function deferralOf({ id, action, run = '', outcome, askedAt, askedBy, deferred }: Past): Mark[] {
  if (deferred === undefined || outcome === 'deferred') return [];
  return [
    {
      key: `deferred ${id}`,
      id,
      at: Date.parse(deferred.from ?? askedAt),
      action,
      run,
      outcome: 'deferred',
      isPlanned: false,
      reason: 'BLACKOUT',
      detail: `deferred by the blackout ${deferred.blackout}`,
      by: `${askedBy.kind} ${askedBy.name}`,
      until: Date.parse(deferred.until),
    },
  ];
}

function plannedMark(command: Planned): Mark {
  const { id, at, action, run = '', outcome, reason, detail, origin, until } = command;
  return {
    key: `planned ${action} ${at} ${id}`,
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

/**
 * What a calendar does not show, and clocks that change. Instants stay as they are: each surface
 * writes them in its zone. Pure.
 */
export function notesOf({ cutAt, pastCutAt, clockChanges, unread }: CalendarAnswer): readonly string[] {
  return [
    pastCutAt && `Nothing is shown before ${pastCutAt}: there are more commands than one answer holds.`,
    cutAt && `Nothing is known after ${cutAt}: there are more occurrences than one question takes.`,
    ...clockChanges.map(
      ({ schedule, kind, local, timezone }) =>
        `${schedule}: the clock of ${timezone} ${kind === 'skipped' ? 'skips' : 'repeats'} ${local}.`,
    ),
    ...unread.map(({ campaign, why }) => `${campaign} could not be read: ${why}.`),
  ].filter((note) => note !== undefined);
}
