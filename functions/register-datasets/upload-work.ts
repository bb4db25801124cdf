import type { ConfigPart, ResolvedGateway } from '#shared/config/resolve/resolved-automation.ts';
import type { ObjectStore } from '#shared/aws/object-store.ts';
import type { OutcomeBus } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { SecretToken } from '#shared/aws/token/secret-token.ts';
import type { CreateDatasetInput } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { QueueRecord, RecordContext } from '../_handler/queue-worker.ts';
import type { SlotQueue } from '../_gateway/slot-queue.ts';
import type { RuleShare } from './send/rule-shares.ts';
import type { SendBudget } from './send/send-budget.ts';

/** What registering an upload needs: narrow ports, no clients. */
export interface UploadDeps {
  readonly ledger: Ledger;
  readonly objects: ObjectStore;
  readonly bus: OutcomeBus;
  readonly commands: Pick<Queue, 'send'>;
  readonly token: Pick<SecretToken, 'get'>;
  /** Asked before an upload is claimed, and again before it is sent. */
  readonly gate: Gate;
  /** The POST, on a connection of its own, ended within `postMs`. */
  readonly createDataset: (input: CreateDatasetInput, budget: SendBudget) => Promise<{ readonly id: string }>;
  /** Waits for this environment's slot, or rejects with SlotTooFarError. Before the row says SENDING: waiting must not widen the unknown. */
  readonly pace: (longestMs: number) => Promise<void>;
  /** The uploads that this environment sent back for their slots. */
  readonly slotQueue: SlotQueue;
  /** By the prefix of a rule: its share of the slots, if it has one. Asked before anything is read for an upload. */
  readonly shares: ReadonlyMap<string, RuleShare>;
  /** The budget of this function, by the time left at the start of its first attempt. */
  readonly budget: (remainingMs: number) => SendBudget;
  /** One large file at a time is in memory and checked: it takes half of what the function has, and its neighbours of the batch would take as much. */
  readonly checking: Mutex;
  readonly random: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** The bucket that is ours. */
  readonly bucket: string;
  /** In the mode `observe` nothing is sent, and the ledger is that of what would have been. */
  readonly config: Pick<ConfigPart<'register-datasets'>, 'mode' | 'datasetRules'> & {
    readonly gateway: Pick<ResolvedGateway, 'scannerVersionsAs' | 'postMayRepeatOn'>;
  };
}

/** One object version in one delivery of its message. */
export interface UploadWork {
  readonly object: ObjectCreated;
  readonly record: QueueRecord;
  readonly context: RecordContext;
}

/** Runs work alone, in the order in which it came; what fails does not hold up what follows. */
export type Mutex = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Makes a mutex of one environment. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
