import type { Finding } from '#operator/finding.ts';
import { linkTo, route, type Screen } from '../frame/route.ts';
import { NextStep, OutcomeWord, ShortIds } from '../words/outcome.tsx';
import { Moments } from '../words/time.tsx';
import { LiftSwitch } from './switch-actions.tsx';

/** The screen that shows what a command shows, by the command's first words. */
const screenOf: Readonly<Record<string, Screen>> = {
  doctor: 'doctor',
  'parked list': 'parked',
  plan: 'calendar',
  uploads: 'uploads',
};

/** Findings, each with its next step: a consequence stands dim below its cause. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul class="todo">
      {findings.map((finding) => (
        <li key={`${finding.subject} ${finding.says}`} class={finding.causedBy === undefined ? '' : 'dim follows'}>
          <span class="says">
            <OutcomeWord outcome={finding.state} /> <strong>{finding.subject}</strong> <ShortIds text={finding.says} />
            <Moments moments={finding.moments} />
            {finding.causedBy === undefined ? null : <span> · see {finding.causedBy}</span>}
          </span>
          {finding.next === undefined ? null : <Next next={finding.next} />}
        </li>
      ))}
    </ul>
  );
}

function Next({ next }: { readonly next: NonNullable<Finding['next']> }) {
  const { stage, screen: here } = route.value;
  const [, ...words] = next.command ?? [];
  const screen = screenOf[words[0] ?? ''] ?? screenOf[words.slice(0, 2).join(' ')];
  return (
    <span class="next">
      <NextStep step={next}>
        {screen === undefined || screen === here ? null : <a href={linkTo(stage, screen)}>Open {screen}</a>}{' '}
        <LiftSwitch words={words} />
      </NextStep>
    </span>
  );
}
