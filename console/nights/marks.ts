import { stateWord } from '#operator/run-state/run-groups.ts';
import type { Tone } from '#operator/run-state/look.ts';
import type { CalendarAnswer } from '../api.ts';

/** One command at its time: its result, or the expected one. */
export interface Mark {
  /** Unlike every other mark's: a planned stop has the id of its start. */
  readonly key: string;
  /** Of the command. */
  readonly id: string;
  readonly at: number;
  readonly action: 'start' | 'stop';
  readonly run: string;
  /** In words: how its run stands, the result of the command, or the expected one. */
  readonly state: string;
  readonly tone: Tone;
  readonly isDeferred: boolean;
  readonly isPlanned: boolean;
  readonly reason?: string | undefined;
  /** Why, in a sentence. */
  readonly detail?: string | undefined;
  readonly by: string;
  /** A start that is deferred is due again then. */
  readonly until?: number | undefined;
  /** A stop: the start that it ends, if that is known. */
  readonly endsId?: string | undefined;
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

const tones: Readonly<Partial<Record<Past['outcome'], Tone>>> = { skipped: 'warn', deferred: 'warn', parked: 'bad' };

/** @param endsId - of a stop: the start that it ends, if that is known */
function pastMark(entry: Past, endsId: string | undefined): Mark {
  const { id, action, outcome, reason, run, askedAt, at } = entry;
  return {
    ...markOf(entry, entry.askedBy),
    key: `${action} ${id}`,
    at: Date.parse(run?.startAt ?? (outcome === 'applied' ? at : askedAt)),
    ...toldOf(entry),
    isDeferred: outcome === 'deferred',
    isPlanned: false,
    reason,
    endsId,
  };
}

/** A start is shown by its run, another command by its result. */
function toldOf({ run, outcome, resolutions, detail, refusals }: Past): Pick<Mark, 'state' | 'tone' | 'detail'> {
  if (run !== undefined) return { state: stateWord(run.state), tone: run.tone, detail: run.says };
  const said = detail ?? refusals.map(({ guard, detail: words }) => `${guard}: ${words ?? 'no'}`).join('; ');
  const tone = resolutions === undefined ? (tones[outcome] ?? 'good') : 'plain';
  return { state: outcome, tone, detail: said === '' ? undefined : said };
}

function markOf(
  { id, action, name, campaignRunId }: Pick<Past, 'id' | 'action' | 'name' | 'campaignRunId'>,
  by: { readonly kind: string; readonly name: string },
) {
  return { id, action, run: name ?? campaignRunId ?? '', by: `${by.kind} ${by.name}` };
}

/** A start that was deferred and has its outcome since leaves a mark where it was due. */
function deferralOf(entry: Past): Mark[] {
  const { id, outcome, askedAt, askedBy, deferred } = entry;
  if (deferred === undefined || outcome === 'deferred') return [];
  return [
    {
      ...markOf(entry, askedBy),
      key: `deferred ${id}`,
      at: Date.parse(deferred.from ?? askedAt),
      state: 'deferred',
      tone: 'warn',
      isDeferred: true,
      isPlanned: false,
      reason: 'BLACKOUT',
      detail: `deferred by the blackout ${deferred.blackout}`,
      until: Date.parse(deferred.until),
    },
  ];
}

function plannedMark(command: Planned): Mark {
  const { id, at, action, run: name, outcome, reason, detail, origin, until } = command;
  return {
    ...markOf({ ...command, name }, origin),
    key: `planned ${action} ${at} ${id}`,
    at: Date.parse(at),
    state: outcome === 'applied' ? `will ${action}` : `will be ${outcome}`,
    tone: tones[outcome] ?? 'good',
    isDeferred: outcome === 'deferred',
    isPlanned: true,
    reason,
    detail,
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
