import { clockTime, dayAndTime, duration, offsetOf } from './times.ts';
import { stageNow, zone } from './clock.ts';

/** An instant in the chosen zone; its offset and UTC are in the hint. */
export function Time({ at, isShort = false }: { readonly at: string; readonly isShort?: boolean }) {
  const instant = Date.parse(at);
  if (Number.isNaN(instant)) return <span>{at === '' ? '–' : at}</span>;
  const hint = `${dayAndTime(instant, zone.value, 0)} ${offsetOf(instant, zone.value)} ${zone.value} · ${at}`;
  return (
    <time dateTime={at} title={hint} class="time">
      {isShort ? clockTime(instant, zone.value) : dayAndTime(instant, zone.value, stageNow.peek())}
    </time>
  );
}

/** `3 h ago`, or `in 3 h`. It moves by itself, so it is kept from a screen reader's announcements. */
export function Distance({ at }: { readonly at: string }) {
  const distance = Date.parse(at) - stageNow.value;
  return (
    <span class="distance" aria-live="off">
      {distance >= 0 ? `in ${duration(distance)}` : `${duration(-distance)} ago`}
    </span>
  );
}

/** An instant with its distance. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <span class="moment">
      <Time at={at} /> <Distance at={at} />
    </span>
  );
}
