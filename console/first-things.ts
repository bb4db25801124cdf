import { roughly } from '#operator/readable.ts';
import type { NowAnswer } from './api.ts';

/** One thing that a person should do: a sentence, the command that leads on, and how much it matters. */
export interface FirstThing {
  readonly says: string;
  readonly tone: 'bad' | 'warn';
  /** The command of the CLI, without the words that name the stage. */
  readonly words: readonly string[];
  /** The screen that shows more than the command does, if there is one. */
  readonly screen?: 'parked' | 'calendar';
}

const count = (number: number, one: string, more: string) => (number === 1 ? `1 ${one}` : `${number} ${more}`);

/**
 * What a person should do, the most pressing first. Empty if nothing needs one. The screen Now shows the whole list, the row of the stage its first
 * entry. Pure.
 */
export function firstThings(now: NowAnswer): readonly FirstThing[] {
  return [
    ...inDoubt(now),
    ...lateStops(now),
    ...gate(now),
    ...waiting(now),
    ...silent(now),
    ...observed(now),
    ...supplies(now),
    ...switchedOn(now),
  ];
}

/** Runs that go on past their planned stop. One that is only observed runs nowhere. Pure. */
export function lateRuns({ inFlight }: NowAnswer): NowAnswer['inFlight'] {
  return inFlight.filter(
    ({ state, isOverdue, isObserved }) => isObserved !== true && (isOverdue === true || state === 'stop due'),
  );
}

/** Messages in dead-letter queues. Pure. */
export function deadLetters({ queues }: NowAnswer): number {
  return queues.filter(({ isDeadLetter }) => isDeadLetter).reduce((sum, queue) => sum + queue.waiting, 0);
}

/** Runs with few campaign run ids left, and campaigns without a start left this month. Pure. */
export function lowSupplies({ supplies: { bindings, budgets } = { bindings: [], budgets: [] } }: NowAnswer) {
  return {
    runs: bindings.filter(({ isLow }) => isLow),
    campaigns: budgets.filter(({ used, startsPerMonth }) => used >= startsPerMonth),
  };
}

function inDoubt({ inFlight }: NowAnswer): FirstThing[] {
  return inFlight
    .filter(({ state }) => state === 'in doubt')
    .map(({ subject }) => ({
      says: `No answer yet to the start of ${subject}. It may run: look at the gateway.`,
      tone: 'bad',
      words: ['doctor'],
    }));
}

function lateStops(now: NowAnswer): FirstThing[] {
  const late = lateRuns(now);
  if (late.length === 0) return [];
  return [
    {
      says: `${count(late.length, 'run goes', 'runs go')} on past its planned stop: ${late.map(({ subject }) => subject).join(', ')}.`,
      tone: 'bad',
      words: ['stop', '--all-in-flight', '--reason', 'past the planned stop'],
    },
  ];
}

function gate({ gate: { state, reason = 'no reason is known' } }: NowAnswer): FirstThing[] {
  if (state !== 'closed') return [];
  return [{ says: `The gate to the gateway is closed: ${reason}`, tone: 'bad', words: ['doctor'] }];
}

function waiting(now: NowAnswer): FirstThing[] {
  const { parked } = now;
  const dead = deadLetters(now);
  const things: FirstThing[] = [];
  if (dead > 0) {
    things.push({ says: `${count(dead, 'dead letter', 'dead letters')}: read why.`, tone: 'bad', words: ['doctor'] });
  }
  if (parked.length > 0) {
    things.push({
      says: `${count(parked.length, 'row waits', 'rows wait')} for a decision: ${reasonsOf(parked)}.`,
      tone: 'warn',
      words: ['parked', 'list'],
      screen: 'parked',
    });
  }
  return things;
}

/** The reasons of most rows: the screen Parked has them all. */
const mostReasons = 5;

function reasonsOf(parked: NowAnswer['parked']): string {
  const groups = [...Map.groupBy(parked, ({ reason }) => reason)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, rows]) => `${reason} ${rows.length}`);
  const left = groups.length - mostReasons;
  return `${groups.slice(0, mostReasons).join(', ')}${left > 0 ? `, and ${count(left, 'more reason', 'more reasons')}` : ''}`;
}

function silent({ silent: schedules = [] }: NowAnswer): FirstThing[] {
  return schedules.map(({ name, missed, meaning, next }) => ({
    says: `${name} has started nothing at ${count(missed, 'occurrence', 'occurrences')}: ${meaning}. ${next}`,
    tone: 'warn',
    words: ['doctor'],
    screen: 'calendar',
  }));
}

function observed({ mode }: NowAnswer): FirstThing[] {
  if (mode !== 'observe') return [];
  return [{ says: 'The stage only observes: it starts nothing.', tone: 'warn', words: ['doctor'] }];
}

function supplies(now: NowAnswer): FirstThing[] {
  const { runs, campaigns } = lowSupplies(now);
  return [
    ...runs.map(({ run, left: ids }): FirstThing => ({
      says: `${run} has ${count(ids, 'campaign run id', 'campaign run ids')} left.`,
      tone: 'warn',
      words: ['bind', run, 'UUID…'],
    })),
    ...campaigns.map(({ campaign, month, used, startsPerMonth }): FirstThing => ({
      says: `${campaign} has used ${used} of ${startsPerMonth} starts of ${month}.`,
      tone: 'warn',
      words: ['plan'],
      screen: 'calendar',
    })),
  ];
}

/** A freeze or a pause is meant, so it comes last. A person forgets it more often than they think. */
function switchedOn({ switches, now }: NowAnswer): FirstThing[] {
  return switches.map(({ scope, name, by, reason, at }) => {
    const isStage = scope === 'stage';
    const age = roughly(Date.parse(now) - Date.parse(at));
    return {
      says: `${isStage ? 'The stage is frozen' : `The ${scope} ${name} is paused`} by ${by}, ${age} ago: ${reason}`,
      tone: 'warn',
      words: isStage ? ['thaw'] : ['resume', scope, name],
    };
  });
}
