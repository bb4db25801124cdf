import type { ResolvedGateway } from '#shared/config/resolve/resolved-automation.ts';
import { uploadsAtOnce } from '#shared/uploads/object-events.ts';
import { type FunctionName, functionNames } from '#shared/vocabulary/resource-names.ts';
import cdkJson from '../../cdk.json' with { type: 'json' };

/** The queues that feed workers. */
export type QueueKind = 'commands' | 'uploads';

/** Where stages differ; nothing else asks for a stage's name. */
export interface StageNumbers {
  /** Runs on one machine: its gateway may be loopback, and deleting it may delete its data. */
  readonly isLocal: boolean;
  /**
   * The stage whose document is taken if the configuration file has none of this name. @default
   * none
   */
  readonly documentOf?: string;
  readonly timeoutSeconds: Readonly<Record<FunctionName, number>>;
  /**
   * Six times the timeout of the function that a queue feeds, so that a running message is not
   * delivered again.
   */
  readonly visibilitySeconds: Readonly<Record<QueueKind | 'deadLetters', number>>;
}

const deployed: StageNumbers = {
  isLocal: false,
  timeoutSeconds: {
    'update-campaign-runs': 30, // a PATCH may take 15 s in all, and a handful of ledger writes
    'register-datasets': 120, // a POST may take 45 s in all; a second record begins only where time is left for it
    'poll-scanner-packages': 900, // the maximum: a walk of 5,000 packages is 50 pages at the reads' rate, and each may take 15 s
    'reconcile-ledger': 120, // a thousand pages of a listing; a pass over more goes on at the next tick
    'park-dead-letters': 60, // two ledger writes and an event a message, ten messages
    'watch-projects': 120, // reads of 15 s at most: the project, two or three looks back if it changed, the endpoints once a day
    'watch-campaigns': 60, // its period: a few hundred rows of an index and a message for each that is due
    'answer-questions': 60, // the most that a person waits: four reads of 15 s each; only reads that are answered go on to the next
  },
  visibilitySeconds: { commands: 180, uploads: 720, deadLetters: 360 },
};

/** Everything as deployed; only the protection of its data is off. */
const local: StageNumbers = { ...deployed, isLocal: true };

/**
 * The same template with short times, so that a fault run sees timeouts and redeliveries within
 * seconds.
 */
const chaos: StageNumbers = {
  isLocal: true,
  documentOf: 'local',
  // Each function has its name here, which `fromEntries` does not tell.
  timeoutSeconds: Object.fromEntries(functionNames.map((name) => [name, 10])) as StageNumbers['timeoutSeconds'],
  visibilitySeconds: { commands: 60, uploads: 60, deadLetters: 60 },
};

const namedStages: ReadonlyMap<string, StageNumbers> = new Map([
  ['local', local],
  ['chaos', chaos],
]);

/** The numbers of a stage: `local` and `chaos` have their own, every other stage is deployed. */
export function stageNumbers(stage: string): StageNumbers {
  return namedStages.get(stage) ?? deployed;
}

/** What an event source mapping may run at once, as AWS takes it. */
const smallest = 2;
const largest = 1000;

/** Records of one batch, as the uploads mapping takes them. */
export const uploadsBatchSize = 10;

/**
 * What one upload takes beside its turn: five round trips to the ledger, one to the bucket, one to
 * the gateway. It is 0.1 s if the gateway answers within 40 ms; the rest is for slower ones. `npm
 * run bench -- --only drain` measures what comes of it.
 */
const secondsOfUpload = 0.2;

/**
 * A start reads a dozen rows, writes half as many and calls the gateway twice; one command at a
 * time in each environment.
 */
const secondsOfCommand = 0.3;

/**
 * How many environments of each queue worker may run at once: as many as keep the rate busy, each
 * with its share of it.
 */
export function mappingConcurrency({
  requestsPerSecond,
}: Pick<ResolvedGateway, 'requestsPerSecond'>): Readonly<Record<QueueKind, number>> {
  return {
    // Two at least, so that one hanging request does not hold up a stop.
    commands: allowed(requestsPerSecond.runs * secondsOfCommand),
    uploads: allowed((requestsPerSecond.datasets * secondsOfUpload) / uploadsAtOnce),
  };
}

function allowed(environments: number): number {
  return Math.min(largest, Math.max(smallest, Math.ceil(environments)));
}

/**
 * The flags of CDK that the templates are made and tested with: the same ones hold under `cdk`, by
 * itself and in another app.
 */
export const featureFlags: Readonly<Record<string, unknown>> = cdkJson.context;
