import type { ObjectStore } from '#shared/aws/object-store.ts';
import type { OutcomeBus } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { ConfigPart } from '#shared/config/resolve/resolved-automation.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';

/** What the worker needs of the world. */
export interface PlanDeps {
  /** Our bucket: events about another one are not ours. */
  readonly bucket: string;
  readonly config: ConfigPart<'send-run-plans'>;
  readonly ledger: Ledger;
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly commands: Pick<Queue, 'send'>;
  readonly bus: OutcomeBus;
  readonly random: () => number;
}
