/** A plan as an iCalendar file (RFC 5545), for a person's own calendar. Pure. */
import ICAL from 'ical.js';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import type { PlannedCommand, StagePlan } from './stage-plan.ts';

/** Who made the file (RFC 5545, 3.7.3). */
const producer = `-//Gateway Autopilot//${productVersion}//EN`;

interface Entry {
  /** The same for the same occurrence in each file, so that a second import replaces the first. */
  readonly uid: string;
  readonly summary: string;
  readonly description?: string | undefined;
  readonly from: string;
  /** @default an instant */
  readonly until?: string | undefined;
}

/** Its starts, each until its run ends, its stops and its blackouts. */
export function planCalendar({ stage, commands, blackouts }: StagePlan, now: Date): string {
  const calendar = new ICAL.Component('vcalendar');
  calendar.addPropertyWithValue('version', '2.0');
  calendar.addPropertyWithValue('prodid', producer);
  calendar.addPropertyWithValue('x-wr-calname', `Gateway Autopilot ${stage}`);
  const entries = [
    ...commands.map(commandEntry),
    ...blackouts.map(({ name, starts, campaigns, from, until }) => ({
      uid: `blackout:${name}@${from}`,
      summary: `blackout ${name}: ${starts === 'skip' ? 'skips' : 'defers'} starts`,
      description: campaigns === undefined ? undefined : `of ${campaigns.join(', ')}`,
      from,
      until,
    })),
  ];
  // A deferred start comes again, under its id, at the end of the blackout.
  for (const entry of new Map(entries.map((one) => [one.uid, one])).values())
    calendar.addSubcomponent(eventOf(entry, stage, now));
  return `${calendar.toString()}\r\n`;
}

function commandEntry({
  id,
  at,
  action,
  run,
  outcome,
  reason,
  detail,
  effectAt,
  endsAt,
  expectedEnd,
}: PlannedCommand): Entry {
  const what = `${action} ${run ?? ''}`.trim();
  const isRun = action === 'start' && outcome === 'applied';
  return {
    // A planned stop has the id of its start.
    uid: `${action}:${id}`,
    summary: outcome === 'applied' ? what : `${what}: ${outcome}${reason === undefined ? '' : ` (${reason})`}`,
    description: detail,
    from: (isRun ? effectAt : undefined) ?? at,
    until: isRun ? (endsAt ?? expectedEnd) : undefined,
  };
}

function eventOf({ uid, summary, description, from, until }: Entry, stage: string, now: Date): ICAL.Component {
  const event = new ICAL.Component('vevent');
  event.addPropertyWithValue('uid', `${uid}:${stage}@gateway-autopilot`);
  event.addPropertyWithValue('dtstamp', timeOf(now.toISOString()));
  // The newer of two files wins.
  event.addPropertyWithValue('sequence', Math.floor(now.getTime() / 60_000));
  event.addPropertyWithValue('dtstart', timeOf(from));
  if (until !== undefined) event.addPropertyWithValue('dtend', timeOf(until));
  event.addPropertyWithValue('summary', summary);
  if (description !== undefined) event.addPropertyWithValue('description', description);
  // It takes none of the person's own time.
  event.addPropertyWithValue('transp', 'TRANSPARENT');
  return event;
}

function timeOf(instant: string): ICAL.Time {
  return ICAL.Time.fromJSDate(new Date(instant), true);
}
