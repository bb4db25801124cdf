import { computed, signal } from '@preact/signals';
import { roughly, sentenceParts } from '#operator/readable.ts';
import { live } from '../connection/live.ts';
import { clockTime, dayAndTime } from '#shared/schedule/written-times.ts';
import { offsetOf } from '../../nights/times.ts';

/** The browser's clock, a tick each second while the page can be seen; and the stage's, which a local run can move. */
export const tick = signal(Date.now());

setInterval(() => {
  if (!document.hidden) tick.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => (tick.value = Date.now()));

/** The stage's time now: its own at the last reading, moved on by what passed here since. */
export const stageNow = computed(() => {
  const { now, readAt } = live.value;
  if (now === undefined || readAt === undefined) return tick.value;
  return Date.parse(now.now) + Math.max(0, tick.value - readAt);
});

/** Times stand by the clock of the stage, as those of its sentences do. One that cannot be asked has no zone: UTC then, and the page says so. */
export const zone = computed(() => live.value.now?.timezone ?? 'UTC');

/** An instant; its offset and UTC are in the hint. */
export function Time({ at, isShort = false }: { readonly at: string; readonly isShort?: boolean }) {
  const zoneName = zone.value;
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return <span>{at === '' ? '–' : at}</span>;
  const hint = `${dayAndTime(instant, zoneName, 0)} ${offsetOf(instant, zoneName)} ${zoneName} · ${at}`;
  return (
    <time dateTime={at} title={hint} class="time">
      {isShort ? clockTime(instant, zoneName) : dayAndTime(instant, zoneName, stageNow.peek())}
    </time>
  );
}

/** A sentence of the ledger or of a worker: its instants are written as those of the page. */
export function Sentence({ text = '' }: { readonly text?: string | undefined }) {
  return (
    <>
      {sentenceParts(text).map((part, index) =>
        typeof part === 'string' ? <span key={index}>{part}</span> : <Time key={index} at={part.at} />,
      )}
    </>
  );
}

/** `3 h ago`, or `in 3 h`. It moves by itself, so it is kept from a screen reader's announcements. */
export function Distance({ at }: { readonly at: string }) {
  const distance = Date.parse(at) - stageNow.value;
  return (
    <span class="distance" aria-live="off">
      {distance >= 0 ? `in ${roughly(distance)}` : `${roughly(-distance)} ago`}
    </span>
  );
}

/** An instant with its distance. */
export function Instant({ at }: { readonly at: string }) {
  return (
    <span class="moment">
      <Time at={at} />, <Distance at={at} />
    </span>
  );
}

/** Times of a finding, behind its sentence. */
export function Moments({ moments }: { readonly moments?: readonly { readonly says: string; readonly at: string }[] }) {
  if (moments === undefined || moments.length === 0) return null;
  return (
    <span class="dim">
      {moments.map(({ says, at }) => (
        <span key={says}>
          {' '}
          · {says} <Instant at={at} />
        </span>
      ))}
    </span>
  );
}
