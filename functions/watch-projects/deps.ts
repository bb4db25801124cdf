import type { OutcomeBus } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { GatewayClient } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { Tick } from '../_handler/handlers.ts';

/** What one tick works with. */
export interface ProjectDeps extends Pick<Tick, 'now' | 'remainingMs' | 'attemptId'> {
  readonly gateway: Pick<GatewayClient, 'getProject' | 'listEndpoints'>;
  readonly gate: Gate;
  /** The rows of the stage's mode. */
  readonly ledger: Ledger;
  /** The table as it is: what changed is a fact in every mode, and stands in the one list that `autopilot status` shows. */
  readonly recent: Ledger;
  readonly commands: Pick<Queue, 'send'>;
  readonly bus: OutcomeBus;
  readonly reports: Pick<Tick['reports'], 'log' | 'count'>;
  /** The project that each configured run attacks, where its campaign names one. */
  readonly projectOfRun: Readonly<Record<string, string>>;
}
