import { createHash } from 'node:crypto';

/**
 * Ids of commands, stable for one occurrence. A message that is sent again is the same command for
 * as long as the ledger keeps ids: 400 days. A queue alone deduplicates for five minutes.
 */
export const commandIds = {
  /**
   * One occurrence of a schedule; `instant` is Scheduler's `<aws.scheduler.scheduled-time>`, filled
   * in at delivery.
   */
  schedule: (name: string, instant: string) => `${name}@${instant}`,
  /** The start that follows an upload, by the ledger key of the upload. */
  upload: (uploadKey: string, run: string) => `upload:${shortDigest(uploadKey)}:${run}`,
  /**
   * A command of a run plan: the plan's version is its bytes, so the same plan uploaded twice is
   * the same commands.
   */
  plan: (planBytes: Uint8Array, position: number) =>
    `plan:${shortDigest(planBytes)}:${String(position).padStart(4, '0')}`,
  /** The start that follows a change set of a watched listing. */
  change: (watch: string, changeSetId: string, run: string) => `change:${watch}:${changeSetId}:${run}`,
  /**
   * The planned stop of a start, by the instant at which it is due and a digest of the start's id.
   */
  dueStop: (campaignRunId: string, dueAt: string, startId: string) =>
    `stop-due:${campaignRunId}@${dueAt}:${shortDigest(startId).slice(0, startDigestLength)}`,
  /**
   * The stop of a run in flight that makes room for a start. Its id is made of both starts and of
   * the repeats that people ordered, so each repeat sends a stop of its own.
   */
  previousStop: (
    start: { readonly id: string; readonly approvals: number },
    inFlight: { readonly campaignRunId: string; readonly startId: string },
  ) => {
    const digest = shortDigest([start.id, String(start.approvals), inFlight.startId].join('\u0000'));
    return `stop-previous:${inFlight.campaignRunId}:${digest.slice(0, startDigestLength)}`;
  },
  /** A person's command: never the same twice. */
  operator: (verb: string, subject: string, now: Date, unique: string) =>
    `${verb}:${subject}@${now.toISOString()}#${unique}`,
} as const;

const digestLength = 32;

/** Enough to tell the starts of one run apart. */
const startDigestLength = 16;

function shortDigest(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex').slice(0, digestLength);
}
