/** Blackouts as the guards take them: local times and dates become instants in the stage's zone, a recurring one keeps its zone. Pure. */
import type { ResolvedBlackout } from '../../schedule/blackouts.ts';
import { nearestInstant } from '../../schedule/time-zone.ts';
import { isCalendarFile, readCalendarFile } from '../schema/calendar-file.ts';
import type { ReadText } from '../schema/ca-bundle.ts';
import type { ReadDocument } from '../schema/automation-schema.ts';
import { dayMs } from '../../schedule/duration.ts';

type ReadBlackout = ReadDocument['blackouts'][number];

/** What a blackout takes of its stage. */
export interface BlackoutStage {
  readonly timezone: string;
  readonly readText?: ReadText | undefined;
  readonly now: Date;
}

/**
 * A blackout as its schema read it. One of whole days, or of a calendar file, becomes a blackout for each time, all of one name.
 * @throws Error if its file cannot be read any more
 */
export function resolveBlackout(blackout: ReadBlackout, stage: BlackoutStage): readonly ResolvedBlackout[] {
  const {
    from: _from,
    to: _to,
    at: _at,
    lasts: _lasts,
    dates,
    calendar,
    timezone = stage.timezone,
    ...common
  } = blackout;
  if (calendar !== undefined && isCalendarFile(calendar)) {
    const read = readCalendarFile(calendar, { ...stage, timezone });
    if (!read.ok) throw new Error(`the calendar of ${common.name} ${read.problem}`);
    const file = { name: calendar, endsAt: read.value.endsAt };
    return read.value.closed.map((closed) => ({ ...common, file, window: { kind: 'once', ...closed } }));
  }
  const windows =
    calendar !== undefined
      ? [{ kind: 'calendar' as const, arn: calendar }]
      : dates === undefined
        ? [windowOf(blackout, timezone)]
        : daysOf(dates, timezone);
  return windows.map((window) => ({ ...common, window }));
}

type Window = ResolvedBlackout['window'];

function windowOf({ name, from, to, at, lasts }: ReadBlackout, timezone: string): Window {
  if (from !== undefined && to !== undefined) {
    return { kind: 'once', from: instantAt(from, timezone), to: instantAt(to, timezone) };
  }
  if (at === undefined || lasts === undefined) throw new Error(`blackout ${name} has no window`);
  return { kind: 'recurring', expression: at, timezone, lasts };
}

/** Each day from its midnight to the next; days in a row are one window, so that a start is deferred past all of them. */
function daysOf(dates: readonly string[], timezone: string): readonly Window[] {
  const windows: Extract<Window, { kind: 'once' }>[] = [];
  for (const date of [...new Set(dates)].toSorted()) {
    const next = new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10);
    const [from, to] = [instantAt(`${date}T00:00`, timezone), instantAt(`${next}T00:00`, timezone)];
    const last = windows.at(-1);
    if (last?.to === from) windows[windows.length - 1] = { ...last, to };
    else windows.push({ kind: 'once', from, to });
  }
  return windows;
}

function instantAt(local: string, timezone: string): string {
  const instantMs = nearestInstant(Date.parse(`${local}:00.000Z`), timezone);
  if (instantMs === undefined) throw new Error(`${local} is no time in ${timezone}`);
  return new Date(instantMs).toISOString();
}
