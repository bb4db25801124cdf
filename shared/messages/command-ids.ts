import { createHash } from 'node:crypto';

/**
 * Ids of commands: stable for one occurrence, so that a message sent again is the same command for ever (the ledger keeps them 400 days),
 * not for the five minutes of a queue's deduplication.
 */
export const commandIds = {
  /** One occurrence of a schedule; `instant` is Scheduler's `<aws.scheduler.scheduled-time>`, filled in at delivery. */
  schedule: (name: string, instant: string) => `${name}@${instant}`,
  /** The start that follows an upload, by the ledger key of the upload. */
  upload: (uploadKey: string, run: string) => `upload:${shortDigest(uploadKey)}:${run}`,
  /** A command of a run plan: the plan's version is its bytes, so the same plan uploaded twice is the same commands. */
  plan: (planBytes: Uint8Array, position: number) =>
    `plan:${shortDigest(planBytes)}:${String(position).padStart(4, '0')}`,
  /** The start that follows a change set of a watched listing. */
  change: (watch: string, changeSetId: string, run: string) => `change:${watch}:${changeSetId}:${run}`,
  /** The stop that a start planned, by the instant at which it was due. */
  dueStop: (campaignRunId: string, dueAt: string) => `stop-due:${campaignRunId}@${dueAt}`,
  /** The stop of a run that a newer start replaces, by the instant at which the run began. */
  previousStop: (campaignRunId: string, since: string) => `stop-previous:${campaignRunId}@${since}`,
  /** A person's command: never the same twice. */
  operator: (verb: string, subject: string, now: Date, unique: string) =>
    `${verb}:${subject}@${now.toISOString()}#${unique}`,
} as const;

const digestLength = 32;

function shortDigest(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex').slice(0, digestLength);
}
