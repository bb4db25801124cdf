import { vi } from 'vitest';
import { takeTimers } from '../model/world/virtual-time.ts';
import { type Night, type NightOptions, openNight } from './open-night.ts';

export { aStart, aStop, anOverride, at, campaignId, type Night, nightlyIds, smokeId, smokeIds } from './open-night.ts';

/** A night of a test: its timers are virtual until the test unstubs them. */
export function createNight(options: NightOptions): Night {
  const night = openNight(options);
  takeTimers(night.time, vi.stubGlobal);
  return night;
}
