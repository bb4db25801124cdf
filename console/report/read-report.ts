import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { entriesOf, listParked, type ParkedEntry } from '#operator/parked/parked-rows.ts';
import { listUploads, type UploadEntry } from '#operator/uploads/list-uploads.ts';
import { datasetsPrefix } from '#shared/vocabulary/resource-names.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import type { CalendarAnswer, Problem } from '../api.ts';
import { readCalendar } from '../routes/calendar.ts';
import { partOf } from '../server/problems.ts';

/** What a report tells of a stage and a period. */
export interface Report {
  readonly stage: string;
  /** The version of the command that made it. */
  readonly version: string;
  readonly from: Date;
  readonly until: Date;
  readonly calendar: CalendarAnswer;
  /** Of the period, the newest first. */
  readonly uploads: readonly UploadEntry[];
  /** There are more uploads than a report lists. */
  readonly isUploadsCut: boolean;
  /** Everything that is parked now, the oldest first. */
  readonly parked: readonly ParkedEntry[];
  /** What could not be read, and why. */
  readonly problems: readonly Problem[];
}

/** A report lists so many uploads of each kind, since each costs a read of the ledger. */
const mostUploads = 200;

/** Reads a report. What a person may not read is named in `problems`, and hides nothing else. */
export async function readReport(
  { from, until }: { readonly from: Date; readonly until: Date },
  deps: OperatorDeps,
): Promise<Report> {
  const now = await deps.now();
  const problems: Problem[] = [];
  const how = { target: deps.target, problems };
  const prefix = datasetsPrefix;
  const [calendar, page, parked] = await Promise.all([
    readCalendar({ from, now, until }, deps),
    partOf(`uploads below ${prefix}`, async () => listUploads({ prefix, limit: mostUploads }, deps), how),
    partOf('parked', async () => entriesOf(await listParked(await deps.stage.ledger())), how),
  ]);
  const { uploads = [], next, isPartial } = page ?? {};
  return {
    stage: deps.target.stage,
    version: productVersion,
    from,
    until,
    calendar,
    uploads: uploads
      .filter((upload) => isWithin(putAt(upload), from, until))
      .toSorted((a, b) => putAt(b).localeCompare(putAt(a))),
    isUploadsCut: next !== undefined || isPartial === true,
    parked: parked ?? [],
    problems: [...calendar.problems, ...problems],
  };
}

/** When an upload was put, as far as it is known. */
export function putAt({ uploadedAt, eventTime, at }: UploadEntry): string {
  return uploadedAt ?? eventTime ?? at ?? '';
}

function isWithin(instant: string, from: Date, until: Date): boolean {
  const at = Date.parse(instant);
  return at >= from.getTime() && at < until.getTime();
}
