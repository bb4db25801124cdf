import { computed, signal } from '@preact/signals';
import { live } from '../connection/live.ts';

/** The browser's clock, a tick each second while the page can be seen; and the stage's, which a local run can move. */
export const tick = signal(Date.now());

setInterval(() => {
  if (!document.hidden) tick.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => (tick.value = Date.now()));

/** The stage's time now: its own at the last reading, moved on by what passed here since. */
export const stageNow = computed(() => {
  const { now, receivedAt } = live.value;
  if (now === undefined || receivedAt === undefined) return tick.value;
  return Date.parse(now.now) + Math.max(0, tick.value - receivedAt);
});

/** Which zone the page writes times in. */
export type ZoneChoice = 'stage' | 'UTC' | 'mine';

const storageKey = 'autopilot-zone';
const choices: readonly ZoneChoice[] = ['stage', 'UTC', 'mine'];

export const zoneChoice = signal<ZoneChoice>(
  choices.find((choice) => choice === localStorage.getItem(storageKey)) ?? 'stage',
);

/** Takes a choice, also for the next visit. */
export function chooseZone(choice: ZoneChoice): void {
  zoneChoice.value = choice;
  localStorage.setItem(storageKey, choice);
}

const myZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The name of the zone in use. A stage that cannot be asked has none: UTC then, and the page says so. */
export const zone = computed(() => {
  if (zoneChoice.value === 'mine') return myZone;
  return zoneChoice.value === 'UTC' ? 'UTC' : (live.value.now?.timezone ?? 'UTC');
});
