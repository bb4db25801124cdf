import type { ObjectStore } from '#shared/aws/object-store.ts';
import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { GatewayClient, TokenProvider } from '#shared/gateway-client/index.ts';
import type { ConfigPart, ResolvedGateway } from '#shared/config/resolve/resolved-automation.ts';
import { AppError } from '#shared/errors/app-error.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { UploadRow } from '#shared/ledger/rows/upload-row.ts';
import type { ObjectCreated } from '#shared/uploads/object-events.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { GatewayWithin } from '../_gateway/gateway-calls.ts';
import type { QueueRecord, RecordContext } from '../_handler/queue-record.ts';

/** The gateway, as far as datasets are made there. */
export type PostingGateway = Pick<GatewayWithin, 'callBudgetMs'> & {
  readonly gateway: Pick<GatewayClient, 'createDataset'>;
};

/** What registering an upload needs: narrow ports, no clients. */
export interface UploadDeps {
  readonly ledger: Ledger;
  readonly objects: ObjectStore;
  readonly bus: OutcomePublisher;
  readonly commands: Pick<Queue, 'send'>;
  readonly token: Pick<TokenProvider, 'get'>;
  /** Asked before an upload is claimed, and again before it is sent. */
  readonly gate: Gate;
  /** The gateway of one environment, by the time left at the start of its first attempt. */
  readonly gatewayWithin: (functionMs: number) => PostingGateway;
  /**
   * Waits for this environment's slot, or rejects with SlotTooFarError. Before the row says
   * SENDING: waiting must not widen the unknown.
   */
  readonly pace: (longestMs: number) => Promise<void>;
  /**
   * One large file at a time is in memory and checked. It takes half of the function's memory, and
   * its neighbours of the batch would take as much.
   */
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

/** One object version in one delivery of its message, and its row as this delivery last saw it. */
export interface Upload {
  readonly deps: UploadDeps;
  readonly object: ObjectCreated;
  readonly record: QueueRecord;
  readonly context: RecordContext;
  /** `undefined`: there is none. */
  readonly row: Stored<UploadRow> | undefined;
}

/** An upload with a row: the claim of this delivery, or what followed it. */
export interface UploadWithRow extends Upload {
  readonly row: Stored<UploadRow>;
}

/** The row changed under us: read it again and obey it. */
export type LookAgain = 'look-again';

/** An upload cannot be sent at this moment, and nothing was sent: its message comes back after a delay. */
export class NotNow extends AppError {
  override readonly name = 'NotNow';
  readonly delayMs: number;

  constructor(delayMs: number, why: string) {
    super(why, { code: 'NOT_NOW', retryable: true });
    this.delayMs = delayMs;
  }
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
