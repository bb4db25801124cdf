import type { RunAnswer } from '../../api.ts';
import { roughly } from '#operator/readable.ts';

/** One step of the story of a start. */
export interface StoryStep {
  readonly name: string;
  readonly at?: string;
  readonly says: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
  /** Its time is to come. */
  readonly isToCome: boolean;
}

type Evidence = RunAnswer['evidence'];
type Course = NonNullable<Evidence['course']>;

type DoneStep = Omit<StoryStep, 'isToCome'>;

/** The story of a start, in the order of its times; what has no time stays behind what it follows. Pure. */
export function storyOf(evidence: Evidence): readonly StoryStep[] {
  const { start, course, writtenAt } = evidence;
  const steps = [
    asked(evidence),
    ...overridden(start),
    ...deferral(start),
    ...effect(start),
    ...begins(start),
    ...(course === undefined ? [] : [confirmed(course.confirmation)]),
    ...stopDue(start),
    ...(course === undefined ? [] : [ended(course.end)]),
  ];
  const now = Date.parse(writtenAt);
  let at = Number.NEGATIVE_INFINITY;
  return steps
    .map((step) => ({ step, at: (at = step.at === undefined ? at : Date.parse(step.at)) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ step }) => ({ ...step, isToCome: step.at !== undefined && Date.parse(step.at) > now }));
}

/** What the run did, in a word and in a sentence: not what its command did. One that was sent and not confirmed is not said to run. Pure. */
export function whatItDid({ start, course }: Evidence): { readonly word: string; readonly says: string } {
  if (start.effect === 'unknown') return { word: 'no answer yet', says: 'No answer came to its start: it may run.' };
  if (start.effect === 'none' || course === undefined) {
    return { word: start.command.outcome, says: 'No run: nothing was sent to the gateway.' };
  }
  if (course.begun === 'no') return { word: 'skipped', says: 'No run: it was ended before it began.' };
  const { end, confirmation } = course;
  const { says } = ended(end);
  if (confirmation.state === 'missing') return { word: 'not confirmed', says: `It was started. ${sign(course)}` };
  const isShown = confirmation.state === 'confirmed';
  if (end.kind === 'in-flight') {
    if (isShown) return { word: 'runs', says: `It runs, as the gateway shows: ${says}.` };
    return { word: 'in flight', says: `It was started. ${sign(course)}` };
  }
  const length = end.kind === 'stopped' && start.effectAt !== undefined ? lengthOf(start.effectAt, end.at) : '';
  return { word: isShown ? 'ran' : 'started', says: `It ${isShown ? 'ran' : 'was started'}${length}; ${says}.` };
}

function sign({ confirmation: { state } }: Course): string {
  const [, says] = confirmations[state];
  return `${says[0]?.toUpperCase() ?? ''}${says.slice(1)}.`;
}

function lengthOf(from: string, to: string): string {
  return `, for ${roughly(Date.parse(to) - Date.parse(from))}`;
}

function asked({ start: { command } }: Evidence): DoneStep {
  const { askedBy, askedBecause, askedAt } = command;
  const because = askedBecause === undefined ? '' : `: ${askedBecause}`;
  return { name: 'requested', at: askedAt, says: `by ${askedBy.kind} ${askedBy.name}${because}`, tone: 'plain' };
}

function overridden({ override }: Evidence['start']): DoneStep[] {
  if (override === undefined) return [];
  return [{ name: 'overridden', says: `${override.guards.join(', ')}: ${override.reason}`, tone: 'warn' }];
}

const effects: Readonly<Record<'made' | 'unknown', readonly [says: string, tone: StoryStep['tone']]>> = {
  made: ['the gateway took the start', 'good'],
  unknown: ['no answer came: the gateway may have taken it', 'bad'],
};

function deferral({ command: { deferred } }: Evidence['start']): DoneStep[] {
  if (deferred === undefined) return [];
  const { from, until, blackout } = deferred;
  return [{ name: 'deferred', at: from, says: `by the blackout ${blackout}, until ${until}`, tone: 'warn' }];
}

function effect(start: Evidence['start']): DoneStep[] {
  const { command, effect: made } = start;
  // One that is deferred waits for the end of its blackout, as the step before says.
  if (made === 'none') return command.outcome === 'deferred' ? [] : [notSent(command)];
  const [says, tone] = effects[made];
  const late = command.lateMs === undefined ? '' : ', late';
  return [{ name: 'sent', at: start.sent?.at ?? command.at, says: says + late + requestOf(start), tone }];
}

function notSent({ outcome, reason, detail, at }: Evidence['start']['command']): DoneStep {
  const why = [reason, detail].filter(Boolean).join(': ');
  return { name: outcome, at: at || undefined, says: why || 'nothing was sent to the gateway', tone: 'warn' };
}

function requestOf({ command: { request } }: Evidence['start']): string {
  return request === undefined ? '' : triesOf(request);
}

/** How often it was tried, the last error before the outcome, and the id of the request in the gateway's own log. */
function triesOf({ id, tries, lastError }: NonNullable<Evidence['start']['command']['request']>): string {
  const tried = tries === 1 ? '' : `, ${tries} attempts`;
  const before = lastError === undefined ? '' : `, last error: ${lastError}`;
  return `${tried}${before}; x-request-id ${id}`;
}

function begins({ effectAt }: Evidence['start']): DoneStep[] {
  if (effectAt === undefined) return [];
  return [{ name: 'begins', at: effectAt, says: 'the run takes effect', tone: 'plain' }];
}

const confirmations: Readonly<
  Record<Course['confirmation']['state'], readonly [name: string, says: string, tone: StoryStep['tone']]>
> = {
  confirmed: ['confirmed', 'the gateway shows that it ran', 'good'],
  missing: ['not confirmed', 'the gateway shows no run', 'bad'],
  awaited: ['awaited', 'the gateway has not shown a run yet', 'plain'],
  'not-applicable': ['confirmation', 'not applicable', 'plain'],
  none: ['confirmation', 'the gateway was not asked', 'plain'],
};

function confirmed({ state, by, at, missingSince }: Course['confirmation']): DoneStep {
  const [name, says, tone] = confirmations[state];
  return { name, at: at ?? missingSince, says: by === undefined ? says : `${says}: ${by}`, tone };
}

function stopDue({ stopDueAt }: Evidence['start']): DoneStep[] {
  if (stopDueAt === undefined) return [];
  return [{ name: 'stops at', at: stopDueAt, says: 'the stop that the start planned', tone: 'plain' }];
}

function ended(end: Course['end']): DoneStep {
  switch (end.kind) {
    case 'stopped': {
      const { command, lateMs = 0, foundEnded } = end;
      if (foundEnded === true) {
        const says = `the stop of ${command.askedBy.kind} ${command.askedBy.name} found that it had ended`;
        return { name: 'ended', at: end.at, says, tone: 'good' };
      }
      const isLate = lateMs > 0;
      const says = `stopped by ${command.askedBy.kind} ${command.askedBy.name}, ${isLate ? 'late' : 'in time'}`;
      return { name: 'stopped', at: end.at, says, tone: isLate ? 'warn' : 'good' };
    }
    case 'in-flight': {
      const isOverdue = (end.overdueMs ?? 0) > 0;
      return {
        name: 'in flight',
        at: end.countsUntil,
        says: isOverdue ? 'it goes on past its planned stop' : 'it counts as in flight until then',
        tone: isOverdue ? 'bad' : 'plain',
      };
    }
    case 'no-stop':
      return { name: 'no stop', at: end.countedUntil, says: noStopWords(end.countedUntil), tone: 'plain' };
  }
}

function noStopWords(countedUntil: string | undefined): string {
  return countedUntil === undefined ? 'no stop is known' : 'no stop is known; it counted as in flight until then';
}
