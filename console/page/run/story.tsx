import type { RunAnswer } from '../../api.ts';
import { Time } from '../words/time.tsx';
import { duration } from '../words/times.ts';

/** One step of the story of a start. */
export interface Step {
  readonly name: string;
  readonly at?: string;
  readonly says: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'plain';
}

type Evidence = RunAnswer['evidence'];
type Course = NonNullable<Evidence['course']>;

/** The story of a start, in the order of its times; what has no time keeps its place. Pure. */
export function storyOf(evidence: Evidence): readonly Step[] {
  const { start, course } = evidence;
  return [
    asked(evidence),
    ...overridden(start),
    effect(start),
    ...begins(start),
    ...(course === undefined ? [] : [confirmed(course.confirmation)]),
    ...stopDue(start),
    ...(course === undefined ? [] : [ended(course.end)]),
  ];
}

function asked({ start: { command } }: Evidence): Step {
  const { askedBy, askedBecause, askedAt } = command;
  const because = askedBecause === undefined ? '' : `: ${askedBecause}`;
  return { name: 'asked', at: askedAt, says: `by ${askedBy.kind} ${askedBy.name}${because}`, tone: 'plain' };
}

function overridden({ override }: Evidence['start']): Step[] {
  if (override === undefined) return [];
  return [{ name: 'overridden', says: `${override.guards.join(', ')}: ${override.reason}`, tone: 'warn' }];
}

const effects: Readonly<Record<Evidence['start']['effect'], readonly [says: string, tone: Step['tone']]>> = {
  made: ['the gateway took the start', 'good'],
  unknown: ['no answer came: the gateway may have taken it', 'bad'],
  none: ['nothing was sent to the gateway', 'warn'],
};

function effect({ command, effect: made }: Evidence['start']): Step {
  const [says, tone] = effects[made];
  const late = command.lateMs === undefined ? '' : ', late';
  const name = made === 'none' ? command.outcome : 'sent';
  return { name, at: command.at || undefined, says: says + late + triesOf(command.request), tone };
}

/** How often it was tried, the last error before the outcome, and the id of the request in the gateway's own log. */
function triesOf(request: Evidence['start']['command']['request']): string {
  if (request === undefined) return '';
  const { id, tries, lastError } = request;
  const tried = tries === 1 ? '' : `, ${tries} attempts`;
  const before = lastError === undefined ? '' : `, last error: ${lastError}`;
  return `${tried}${before}; x-request-id ${id}`;
}

function begins({ effectAt }: Evidence['start']): Step[] {
  if (effectAt === undefined) return [];
  return [{ name: 'begins', at: effectAt, says: 'the run takes effect', tone: 'plain' }];
}

const confirmations: Readonly<
  Record<Course['confirmation']['state'], readonly [name: string, says: string, tone: Step['tone']]>
> = {
  confirmed: ['confirmed', 'the gateway shows that it ran', 'good'],
  missing: ['not confirmed', 'the gateway shows no run', 'bad'],
  awaited: ['awaited', 'the gateway has not shown a run yet', 'plain'],
  'not-applicable': ['confirmation', 'not applicable', 'plain'],
  none: ['confirmation', 'the gateway was not asked', 'plain'],
};

function confirmed({ state, by, before, reads, at, until, missingSince }: Course['confirmation']): Step {
  const [name, says, tone] = confirmations[state];
  const figures = by === undefined ? '' : `: ${by} ${before ?? '?'} → ${reads ?? '?'}`;
  return { name, at: at ?? missingSince ?? until, says: says + figures, tone };
}

function stopDue({ stopDueAt }: Evidence['start']): Step[] {
  if (stopDueAt === undefined) return [];
  return [{ name: 'stop due', at: stopDueAt, says: 'the planned stop', tone: 'plain' }];
}

function ended(end: Course['end']): Step {
  switch (end.kind) {
    case 'stopped': {
      const { command, lateMs = 0 } = end;
      const isLate = lateMs > 0;
      const by = command === undefined ? [] : [`by ${command.askedBy.kind} ${command.askedBy.name}`];
      const says = [...by, isLate ? 'late' : 'in time'].join(', ');
      return { name: 'stopped', at: end.at, says, tone: isLate ? 'warn' : 'good' };
    }
    case 'started-again':
      return { name: 'started again', at: end.at, says: 'another start of the same run ended this one', tone: 'warn' };
    case 'in-flight': {
      const isOverdue = (end.overdueMs ?? 0) > 0;
      return {
        name: 'in flight',
        at: end.countsUntil,
        says: isOverdue ? 'it goes on past its planned stop' : 'it goes on; it counts as in flight until then',
        tone: isOverdue ? 'bad' : 'plain',
      };
    }
    case 'no-stop':
      return { name: 'no stop', says: 'no stop is known', tone: 'plain' };
  }
}

/** What happened, in order, each step with its time. A long wait is told in words, so that what matters stays close together. */
export function Story({ evidence }: { readonly evidence: RunAnswer['evidence'] }) {
  const steps = storyOf(evidence);
  return (
    <ol class="story" aria-label="What happened">
      {steps.map((step, index) => (
        <li key={`${step.name} ${step.at ?? ''}`} class={step.tone}>
          <Wait step={step} before={steps[index - 1]} />
          <strong>
            <span aria-hidden="true">{shapes[step.tone]}</span> {step.name}
          </strong>
          <span class="step-time">{step.at === undefined ? '–' : <Time at={step.at} />}</span>
          <span class="words">{step.says}</span>
        </li>
      ))}
    </ol>
  );
}

const shapes: Readonly<Record<Step['tone'], string>> = { good: '●', warn: '◆', bad: '▲', plain: '○' };

const shortWaitMs = 60_000;

function Wait({ step, before }: { readonly step: Step; readonly before?: Step }) {
  if (step.at === undefined || before?.at === undefined) return null;
  const waited = Date.parse(step.at) - Date.parse(before.at);
  return waited < shortWaitMs ? null : <span class="wait dim">{duration(waited)} later</span>;
}
