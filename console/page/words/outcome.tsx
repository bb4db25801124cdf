/** The result of work: a shape and a word, and a colour beside them. Never the colour alone. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { pastedLine } from '#operator/pasted.ts';
import type { Tone } from '#operator/run-state/look.ts';
import { wayTo } from '../connection/session.ts';
import { route } from '../connection/route.ts';

const looks: Readonly<Record<string, readonly [shape: string, tone: Tone]>> = {
  applied: ['●', 'good'],
  ready: ['●', 'good'],
  ok: ['●', 'good'],
  convertible: ['◐', 'warn'],
  skipped: ['◆', 'warn'],
  deferred: ['◇', 'warn'],
  superseded: ['○', 'plain'],
  ignored: ['○', 'plain'],
  decided: ['○', 'plain'],
  parked: ['▲', 'bad'],
  problem: ['▲', 'bad'],
  problems: ['▲', 'bad'],
  warning: ['◆', 'warn'],
};

/** What was parked, and decided since, is not red. */
export function OutcomeWord({
  outcome,
  reason,
  isDecided = false,
}: {
  readonly outcome: string;
  readonly reason?: string;
  readonly isDecided?: boolean;
}) {
  const word = isDecided && outcome === 'parked' ? 'decided' : outcome;
  const [shape, tone] = looks[word] ?? ['○', 'plain'];
  return (
    <span class={`outcome ${tone}`}>
      <span aria-hidden="true">{shape}</span> {word}
      {reason === undefined ? null : <code class="reason">{reason}</code>}
    </span>
  );
}

export const shapes: Readonly<Record<Tone, string>> = { good: '●', warn: '◆', bad: '▲', plain: '○' };

/** A state in a frame, in its own colour and shape. */
export function StateChip({ state, tone }: { readonly state: string; readonly tone: Tone }) {
  return (
    <span class={`chip ${tone}`}>
      <span aria-hidden="true">{shapes[tone]}</span> {state}
    </span>
  );
}

/** A short word in a frame: `observe`, `FROZEN`. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: string }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** The CLI's command for the stage of the address, to paste: every action of the console has one. */
export function cli(...words: readonly string[]): string {
  return pastedLine(['autopilot', ...words], wayTo(route.value.stage));
}

/** What to do next: its sentence, and its command with the words of a stage. */
export function NextStep({
  step,
  stage = route.value.stage,
  children,
}: {
  readonly step: { readonly says: string; readonly command?: readonly string[] } | undefined;
  readonly stage?: string;
  /** Between the two: what does the same on the page. */
  readonly children?: ComponentChildren;
}) {
  if (step === undefined) return null;
  const { says, command } = step;
  return (
    <>
      {says} {children} {command === undefined ? null : <CommandLine line={pastedLine(command, wayTo(stage))} />}
    </>
  );
}

const uuid = /([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/;

/** A text in which each uuid is short: its last letters tell it from others, and the whole is in the hint. */
export function ShortIds({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(uuid).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <code key={index} title={part} class="id">
            …{part.slice(-5)}
          </code>
        ),
      )}
    </>
  );
}

/** A button that copies a command, which it then shows. What is read and not only pasted, such as an id, is shown from the first. */
export function CommandLine({ line, isShown = false }: { readonly line: string; readonly isShown?: boolean }) {
  const [copied, setCopied] = useState<boolean>();
  const copy = () => {
    navigator.clipboard.writeText(line).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  const word = copied === true ? 'Copied' : isShown ? 'Copy' : 'Copy command';
  const isSeen = isShown || copied !== undefined;
  return (
    <span class="command">
      <code class={isSeen ? '' : 'unseen'}>{line}</code>
      <button type="button" class="quiet" onClick={copy} aria-label={`${word}: ${line}`} title={line}>
        {word}
      </button>
      <span class="unseen" role="status">
        {copied === true ? 'Copied' : ''}
      </span>
    </span>
  );
}

/**
 * Text of several lines, each a block of its own: so no line break is taken for a character that hides. It is a group and no region: a screen has
 * many, and a reader of the screen would find a landmark at each.
 */
export function Lines({ text }: { readonly text: string }) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keyboard (WCAG 2.1.1)
    <pre role="group" tabIndex={0} aria-label="Text">
      {text.split(/\r?\n/).map((line, index) => (
        <span key={index} class="line">
          {line === '' ? ' ' : line}
        </span>
      ))}
    </pre>
  );
}
