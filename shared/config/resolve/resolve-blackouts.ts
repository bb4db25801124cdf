import { parseDuration } from '../../schedule/duration.ts';
import { instantOfWallClock } from '../../schedule/time-zone.ts';
import type { BlackoutDocument } from '../automation.ts';
import type { ResolvedBlackout } from './resolved-automation.ts';

/** A blackout of a document that was found right: local times become instants, a recurring one keeps its zone. */
export function resolveBlackout(blackout: BlackoutDocument, stageTimezone: string): ResolvedBlackout {
  const { from: _from, to: _to, at: _at, lasts: _lasts, timezone = stageTimezone, ...rest } = blackout;
  return { ...rest, starts: rest.starts ?? 'skip', window: windowOf(blackout, timezone) };
}

function windowOf({ name, from, to, at, lasts }: BlackoutDocument, timezone: string): ResolvedBlackout['window'] {
  if (from !== undefined && to !== undefined) {
    return { kind: 'once', from: instantAt(from, timezone), to: instantAt(to, timezone) };
  }
  const duration = parseDuration(lasts ?? '');
  if (at === undefined || !duration.ok) throw new Error(`blackout ${name} has no window`);
  return { kind: 'recurring', expression: at.trim(), timezone, lasts: duration.value.iso };
}

const hourMs = 60 * 60_000;

/** A local time that spring leaves out is the same many minutes after the clocks have gone forward. */
function instantAt(local: string, timezone: string): string {
  const wallMs = Date.parse(`${local}:00.000Z`);
  const instantMs = instantOfWallClock(wallMs, timezone) ?? instantOfWallClock(wallMs + hourMs, timezone);
  if (instantMs === undefined) throw new Error(`${local} is no time in ${timezone}`);
  return new Date(instantMs).toISOString();
}
