import { createHash } from 'node:crypto';
import { toSecond } from '../schedule/scheduler-input.ts';
import type { CampaignRunCommand } from './campaign-run-command.ts';

/**
 * Ids of commands: a message that is sent again is the same command for as long as the ledger keeps
 * ids, 400 days.
 */
export const commandIds = {
  /** One occurrence of a schedule; `instant` is Scheduler's `<aws.scheduler.scheduled-time>`. */
  schedule: (name: string, instant: string) => `${name}@${instant}`,
  /** The same by its time, which Scheduler fills in without fractions of a second. */
  occurrence: (name: string, at: Date) => `${name}@${toSecond(at)}`,
  /** The start that follows an upload, by the ledger key of the upload. */
  upload: (uploadKey: string, run: string) => `upload:${shortDigest(uploadKey)}:${run}`,
  /** The start that follows a change set of a watched listing. */
  change: (watch: string, changeSetId: string, run: string) => `change:${watch}:${changeSetId}:${run}`,
  /** The planned stop of a start. */
  plannedStop: (startId: string) => `planned-stop:${shortDigest(startId)}`,
  /** The stop of a start whose run another start, or a guard, needs ended. */
  end: (startId: string) => `end:${shortDigest(startId)}`,
  /** The same command in a row of its own, since another one stands in the row of its id. */
  apart: (id: string) => `${id}#apart`,
  /** A person's repeat of a parked command: a new command. `end:…~2`, then `~3`. */
  repeat: (id: string) => {
    const [, stem = id, count = '1'] = /^(.*?)(?:~(\d+))?$/s.exec(id) ?? [];
    return `${stem}~${Number(count) + 1}`;
  },
  /** A person's command: never the same twice. `send-start-nightly-20261120T200000000Z-abcd1234` */
  operator: (verb: string, subject: string, now: Date, unique: string) =>
    [verb, subject, now.toISOString().replaceAll(/[-:.]/g, ''), unique].join('-').replaceAll(/[:@]/g, '-'),
} as const;

const digestLength = 32;

function shortDigest(data: string): string {
  return createHash('sha256').update(data).digest('hex').slice(0, digestLength);
}

/** What the row of a parked command has of it. */
export interface RepeatableRow {
  readonly command: CampaignRunCommand;
  readonly campaignRunId?: string;
  /** The last one of them says under which id, and when it was decided. */
  readonly resolutions?: readonly { readonly as?: string; readonly at: string }[];
}

/**
 * The command that repeats the one of a row, issued when that was decided. The repeat of a stop of
 * one start is a stop of its run.
 * @returns `undefined` if the last decision about the row is no repeat
 */
export function repeatOf({ command, campaignRunId, resolutions }: RepeatableRow): CampaignRunCommand | undefined {
  const { as: id, at: issuedAt = '' } = resolutions?.at(-1) ?? {};
  if (id === undefined) return undefined;
  const { startId, ...options } = command;
  if (startId === undefined) return { ...options, id, issuedAt };
  const { run: _run, ...ofRun } = options;
  return { ...ofRun, campaignRunId: options.campaignRunId ?? campaignRunId, id, issuedAt };
}
