import type { NowAnswer } from '../../api.ts';

/** One thing that a person should do: a sentence, the command or the screen that leads on, and how much it matters. */
export interface FirstThing {
  readonly says: string;
  readonly tone: 'bad' | 'warn';
  readonly words?: readonly string[];
  readonly screen?: 'parked' | 'calendar';
}

const count = (number: number, one: string, more: string) => (number === 1 ? `1 ${one}` : `${number} ${more}`);

/** What a person should do, the most pressing first. Empty if nothing needs one. Pure. */
export function firstThings(now: NowAnswer): readonly FirstThing[] {
  return [
    ...inDoubt(now),
    ...lateStops(now),
    ...gate(now),
    ...waiting(now),
    ...silent(now),
    ...observed(now),
    ...supplies(now),
  ];
}

function inDoubt({ inFlight }: NowAnswer): FirstThing[] {
  return inFlight
    .filter(({ state }) => state === 'in doubt')
    .map(({ subject, inDoubtOf = 'start' }) => ({
      says: `No answer yet to the ${inDoubtOf} of ${subject}. It may run: look at the gateway.`,
      tone: 'bad',
      words: ['doctor'],
    }));
}

function lateStops({ inFlight }: NowAnswer): FirstThing[] {
  const late = inFlight.filter(({ state }) => state === 'stop due');
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

function waiting({ parked, queues }: NowAnswer): FirstThing[] {
  const dead = queues.filter(({ isDeadLetter }) => isDeadLetter).reduce((sum, { waiting: size }) => sum + size, 0);
  const things: FirstThing[] = [];
  if (parked.length > 0) {
    things.push({
      says: `${count(parked.length, 'row waits', 'rows wait')} for a decision: ${reasonsOf(parked)}.`,
      tone: 'warn',
      screen: 'parked',
    });
  }
  if (dead > 0) {
    things.push({ says: `${count(dead, 'dead letter', 'dead letters')}: read why.`, tone: 'bad', words: ['doctor'] });
  }
  return things;
}

function reasonsOf(parked: NowAnswer['parked']): string {
  return [...Map.groupBy(parked, ({ reason }) => reason)]
    .map(([reason, rows]) => `${reason} ${rows.length}`)
    .join(', ');
}

function silent({ silent: schedules = [] }: NowAnswer): FirstThing[] {
  return schedules.map(({ name, missed, meaning, next }) => ({
    says: `${name} has started nothing at ${count(missed, 'occurrence', 'occurrences')}: ${meaning}. ${next}`,
    tone: 'warn',
    screen: 'calendar',
  }));
}

/** A freeze and a pause stand above, with their command. */
function observed({ mode }: NowAnswer): FirstThing[] {
  if (mode !== 'observe') return [];
  return [{ says: 'The stage only observes: it starts nothing.', tone: 'warn', words: ['doctor'] }];
}

function supplies({ supplies: left }: NowAnswer): FirstThing[] {
  const low = (left?.bindings ?? []).filter(({ isLow }) => isLow);
  const spent = (left?.budgets ?? []).filter(({ used, startsPerMonth }) => used >= startsPerMonth);
  return [
    ...low.map(({ run, left: ids }): FirstThing => ({
      says: `${run} has ${count(ids, 'campaign run id', 'campaign run ids')} left.`,
      tone: 'warn',
      words: ['bind', run, 'UUID…'],
    })),
    ...spent.map(({ campaign, month, used, startsPerMonth }): FirstThing => ({
      says: `${campaign} has used ${used} of ${startsPerMonth} starts of ${month}.`,
      tone: 'warn',
      screen: 'calendar',
    })),
  ];
}
