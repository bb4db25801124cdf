import type { Finding } from '#operator/finding.ts';
import { live } from '../connection/live.ts';
import { linkTo, route, type Screen } from '../connection/route.ts';
import { NextStep, OutcomeWord, ShortIds } from '../words/outcome.tsx';
import { Moments } from '../words/time.tsx';
import { StopRuns } from '../run/stop.tsx';
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
  const [, ...words] = next.command ?? [];
  const [verb, action, subject] = words;
  const runs = live.value.now?.runs ?? [];
  const stopped = verb === 'send' && action === 'stop' ? runs.filter((run) => run.campaignRunId === subject) : [];
  if (stopped.length > 0) return <StopRuns runs={stopped} />;
  return (
    <span class="next">
      <NextStep step={next}>
        <OpenLink words={words} /> <LiftSwitch words={words} />
      </NextStep>
    </span>
  );
}

/** The screen that shows what a command is about: of a start that is to be repeated, the run that went wrong. */
function OpenLink({ words }: { readonly words: readonly string[] }) {
  const { stage, screen: here } = route.value;
  const [verb = '', action, subject] = words;
  const isStart = verb === 'send' && action === 'start';
  const run = isStart ? live.value.now?.runs.find((one) => one.run === subject && one.tone === 'bad') : undefined;
  const screen = screenOf[verb] ?? screenOf[words.slice(0, 2).join(' ')];
  const isElsewhere = screen !== undefined && screen !== here;
  if (run === undefined && !isElsewhere) return null;
  return (
    <a class="action" href={run === undefined ? linkTo(stage, screen ?? 'now') : linkTo(stage, 'run', run.startId)}>
      Open {run === undefined ? screen : 'the run'}
    </a>
  );
}
