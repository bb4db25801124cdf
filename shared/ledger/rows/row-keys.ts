import { createHash, hash } from 'node:crypto';
import type { SwitchScope } from './stage-rows.ts';

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\u0000')).digest('hex');
}

/** An id as a row keeps it that holds thousands of them: 66 bits in 11 characters. */
export function idDigest(id: string): string {
  return hash('sha256', id, 'base64url').slice(0, 11);
}

/** `RUN_UNSEEN`: nothing shows that the run began. */
export const findingKinds = ['RUN_FAILED', 'RUN_UNSEEN', 'SCORE_LOW'] as const;

/** One of the kinds above. */
export type FindingKind = (typeof findingKinds)[number];

/** What the watcher sends. */
export type DueKind = 'due-stops' | 'deferred-starts' | 'halts';

/** Keys of the ledger: `kind#…`, nothing else is ever a key. */
export const ledgerKeys = {
  command: (id: string) => `command#${id}`,
  run: (name: string) => `run#${name}`,
  runId: (campaignRunId: string) => `run-id#${campaignRunId}`,
  pool: (run: string, campaignId: string, providerIds: readonly string[]) =>
    `pool#${digest(run, campaignId, ...providerIds)}`,
  target: (name: string) => `target#${name}`,
  /**
   * Not in the key: message id, event time, sequencer, etag, receive count: all of them change for
   * the same object version.
   */
  upload: (bucket: string, key: string, versionId: string) => `upload#1#${digest(bucket, key, versionId)}`,
  dataset: (requestBody: string, contentDigest: string) => `dataset#1#${digest(requestBody, contentDigest)}`,
  message: (queue: string, messageId: string) => `message#${queue}#${messageId}`,
  mailedMessage: () => 'message#mailed',
  watch: (name: string) => `watch#${name}`,
  watchPackages: (name: string, part: number) => `watch#${name}#${part}`,
  projectWatch: (name: string) => `project-watch#${name}`,
  gate: () => 'gate#gateway',
  sentCommands: (what: DueKind) => `sent-commands#${what}`,
  runReadings: () => 'run-readings#gateway',
  calendars: () => 'calendars#stage',
  confirmation: (campaignRunId: string) => `confirmation#${campaignRunId}`,
  runEnds: (run: string) => `run-ends#${run}`,
  changes: (watch: string) => `changes#${watch}`,
  finding: (run: string, kind: FindingKind) => `finding#${run}#${kind}`,
  switch: (scope: SwitchScope, name: string) => (scope === 'stage' ? 'switch#stage' : `switch#${scope}#${name}`),
  pastSwitch: (scope: SwitchScope, name: string, from: string) => `past-switch#${scope}#${name}#${from}`,
  handle: (handle: string) => `handle#${handle}`,
  reconcile: () => 'reconcile#ledger',
  observedUntil: () => 'observed-until#stage',
  linkTest: (id: string) => `link-test#${id}`,
  recent: () => 'recent#outcomes',
} as const;

const daySeconds = 86_400;

/**
 * How long rows live, in days: queue, dead-letter queue, redrive and margin are 90; evidence is
 * kept longer.
 */
export const rowLifeDays = {
  'link-test': 2, // it is looked at within minutes, or on the next morning
  command: 400,
  upload: 400,
  message: 90,
  dataset: 400,
  handle: 400,
  confirmation: 400,
  finding: 400,
  'past-switch': 400,
} as const;

/** Epoch seconds for `expiresAt`. */
export function expiryOf(kind: keyof typeof rowLifeDays, now: Date): number {
  return Math.floor(now.getTime() / 1000) + rowLifeDays[kind] * daySeconds;
}
