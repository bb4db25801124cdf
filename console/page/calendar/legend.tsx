import { Shape } from './marks-table.tsx';

const marks = [
  ['applied', 'start', 'start'],
  ['applied', 'stop', 'stop'],
  ['skipped', 'start', 'skipped'],
  ['deferred', 'start', 'deferred'],
  ['parked', 'start', 'parked'],
  ['applied', 'start planned', 'planned'],
] as const;

/** What stands behind the marks, as the lanes draw it. */
const areas = [
  ['bar', 'run'],
  ['bar planned', 'planned run'],
  ['blackout', 'blackout'],
  ['held', 'frozen, paused'],
] as const;

/** Each mark in its own shape and colours. */
export function Legend() {
  return (
    <p class="legend dim">
      {marks.map(([outcome, action, name]) => (
        <span key={name}>
          <svg class={`mark ${outcome} ${action}`} width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">
            <Shape outcome={outcome} action={action === 'stop' ? 'stop' : 'start'} />
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
