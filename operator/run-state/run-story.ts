/** The story of a run as steps in the order of time: what was asked, sent, answered and shown, and what is to come. Pure. */
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { ZonedClock } from '../times/typed-times.ts';
import { withInstants } from '../readable.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { byStop } from './ended-lines.ts';
import type { RunRows } from './run-rows.ts';
import { lookAt, type Look, type Tone } from './look.ts';
import { runState, type RunState } from './run-state.ts';

/** A step of a story. */
export interface StepOfRun {
  readonly at: string;
  /** What happened, without its time. */
  readonly says: string;
  readonly tone?: Tone;
  /** It is still to come. */
  readonly isAhead?: true;
}

/** Tells the steps of a run, the earliest first. */
export function runStory(facts: RunRows, clock: ZonedClock): readonly StepOfRun[] {
  const look = lookAt(facts, clock);
  const words = runState(facts, clock);
  const steps = [...startSteps(look), ...requestSteps(look), ...runSteps(look, words), ...stopSteps(look, words)];
  return steps
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .map((step) => (Date.parse(step.at) > clock.now.getTime() ? { ...step, isAhead: true } : step));
}

function startSteps({ start, at }: Look): readonly StepOfRun[] {
  const { command, deferred, outcome, mayHaveRun } = start;
  const { origin, reason, issuedAt } = command;
  const why = reason === undefined ? '' : `: ${reason}`;
  const isRefused = outcome !== undefined && outcome.kind !== 'applied' && mayHaveRun === undefined;
  return [
    { at: issuedAt, says: `asked by ${origin.kind} ${origin.name}${why}` },
    ...(deferred === undefined
      ? []
      : [{ at: deferred.from, says: `deferred until ${at(deferred.until)} by the blackout ${deferred.blackout}` }]),
    ...(isRefused ? [{ at: outcome.at, says: outcomeWords(start, at), tone: 'warn' as const }] : []),
  ];
}

function outcomeWords({ outcome }: CommandRow, at: Look['at']): string {
  const { kind = '', reason, detail } = outcome ?? {};
  const words = reason === undefined ? kind : `${kind} ${reason}`;
  return detail === undefined ? words : `${words}: ${withInstants(detail, at)}`;
}

function requestSteps({ start: { requests }, at }: Look): readonly StepOfRun[] {
  if (requests === undefined) return [];
  const { count, first, last } = requests;
  const sent = (request: typeof first, says: string): readonly StepOfRun[] => [
    { at: request.at, says: `${says}, to begin ${at(request.startAt)}` },
    ...answerSteps(request.answer),
  ];
  const repeats = count === 2 ? 'sent once more' : `sent ${count - 1} more times, the last one`;
  return [...sent(first, 'sent to the gateway'), ...(count === 1 ? [] : sent(last, repeats))];
}

function answerSteps(answer: NonNullable<CommandRow['requests']>['first']['answer']): readonly StepOfRun[] {
  if (answer === undefined) return [];
  const { at, applied, status, code } = answer;
  if (applied === 'yes') return [{ at, says: 'accepted by the gateway' }];
  const said = status ?? code;
  return [{ at, says: said === undefined ? 'no answer came' : `answered ${said}`, tone: 'warn' }];
}

/** What begins, and what was shown of it. */
function runSteps({ noted, reading, startAt, start, now }: Look, { begun, state }: RunState): readonly StepOfRun[] {
  const { confirmed, missingSince } = noted ?? {};
  const isAhead = Date.parse(startAt) > now.getTime() && state !== 'cancelled';
  const begins = isAhead ? 'begins' : begun === 'yes' ? 'began' : 'should have begun';
  const hasStart = start.startAt !== undefined && (isAhead || begun !== 'no');
  return [
    ...(hasStart ? [{ at: startAt, says: begins }] : []),
    ...stepAt(missingSince, 'reported: the gateway did not show it', 'bad'),
    ...stepAt(confirmed?.at, signWords(confirmed?.by)),
    ...(reading?.status === 'in_progress' ? [{ at: reading.at, says: 'the gateway shows it in progress' }] : []),
  ];
}

function stepAt(at: string | undefined, says: string, tone: Tone = 'plain'): readonly StepOfRun[] {
  return at === undefined ? [] : [{ at, says, tone }];
}

function signWords(by: 'lastRun' | 'lastRunAt' | 'run' = 'run'): string {
  return by === 'run' ? 'the gateway shows that it began' : `its campaign shows it (${by})`;
}

function stopSteps({ stop, end, entry, start }: Look, words: RunState): readonly StepOfRun[] {
  const isAsked = stop !== undefined && [end?.by, entry?.orderedBy].includes(stop.id);
  const isPlanned = stop?.id === commandIds.plannedStop(start.id);
  const endedAt = words.endedAt ?? (words.state === 'not-stopped' ? end?.at : undefined);
  return [
    ...(isAsked ? [{ at: stop.command.issuedAt, says: `stop asked for${byStop(stop, start)}` }] : []),
    ...stepAt(endedAt, words.says, words.tone),
    ...(isAsked && isPlanned ? [] : stepAt(words.stopsAt, 'its planned stop')),
  ];
}
