import { Shape } from './mark-shape.tsx';

const marks = [
  ['good', 'start', 'start'],
  ['good', 'stop', 'stop'],
  ['warn', 'start', 'skipped, or not sure'],
  ['warn', 'start deferred', 'deferred'],
  ['bad', 'start', 'failed, parked'],
  ['good', 'start planned', 'planned'],
] as const;

/** What stands behind the marks, as the lanes draw it. */
const areas = [
  ['bar good', 'run'],
  ['bar bad', 'failed run'],
  ['bar good planned', 'planned run'],
  ['blackout', 'blackout'],
  ['held', 'frozen, paused'],
] as const;

/** Each mark in its own shape and colours. */
export function Legend() {
  return (
    <p class="legend dim">
      {marks.map(([tone, look, name]) => (
        <span key={name}>
          <svg class={`mark ${tone} ${look}`} width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">
            <Shape tone={tone} action={look === 'stop' ? 'stop' : 'start'} isDeferred={look === 'start deferred'} />
          </svg>{' '}
          {name}
        </span>
      ))}
      {areas.map(([look, name]) => (
        <span key={name}>
          <svg width="22" height="12" aria-hidden="true">
            <rect class={look} x="1" y="1" width="20" height={look === 'held' ? 3 : 10} />
          </svg>{' '}
          {name}
        </span>
      ))}
    </p>
  );
}
