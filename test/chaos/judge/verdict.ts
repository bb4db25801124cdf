import type { Evidence } from './evidence.ts';
import type { Fate, Judged } from './fate.ts';
import { judgeCommands, judgeRuns } from './judge-commands.ts';
import { judgeUploads } from './judge-uploads.ts';

/** What a chaos run found. */
export interface Verdict {
  readonly counts: Readonly<Record<Fate, number>>;
  /** Of the parked ones: whose effect is at the gateway. */
  readonly parkedButApplied: number;
  /** Runs that do not stand as their newest wish wants, or were started after a newer stop. */
  readonly wrongRuns: number;
  /** Every broken promise, with what is known. */
  readonly broken: readonly Judged[];
}

/** Judges a run from outside: the gateway's own store against what was sent, and the ledger against both. Pure. */
export function judgeRun(evidence: Evidence): Verdict {
  const events = [...judgeUploads(evidence), ...judgeCommands(evidence)];
  const runs = judgeRuns(evidence);
  const counts: Record<Fate, number> = {
    'applied once': 0,
    'applied twice': 0,
    lost: 0,
    denied: 0,
    parked: 0,
    'parked without a reason': 0,
    superseded: 0,
    skipped: 0,
    ignored: 0,
    'dead letter': 0,
  };
  for (const { fate } of events) counts[fate] += 1;
  return {
    counts,
    parkedButApplied: events.filter(({ wasApplied }) => wasApplied === true).length,
    wrongRuns: runs.length,
    broken: [...events, ...runs, ...deadLetters(evidence)].filter((judged) => judged.broken !== undefined),
  };
}

/** Autopilot empties its dead-letter queues into the ledger; a baseline's stay for a person who looks there. */
function deadLetters(evidence: Evidence): readonly Judged[] {
  if (evidence.worker !== 'autopilot') return [];
  return evidence.deadLetters.map((body) => ({
    key: 'a message in a dead-letter queue',
    fate: 'dead letter',
    broken: 'nobody parked it',
    history: [body],
  }));
}
