import type { RunAnswer } from '../../api.ts';
import { Time } from '../words/time.tsx';
import { duration } from '../words/times.ts';
import { storyOf, type Step } from './steps.ts';

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
