import { createGate } from '#functions/_gateway/create-gate.ts';
import type { Gate } from '#functions/_gateway/gate.ts';
import { createGatewayProbe } from '#functions/_gateway/gateway-access.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { MetricName } from '#shared/vocabulary/metric-names.ts';
import { canary } from '../../integration/shared/gateway-client/clients.ts';
import type { RawGateway } from './raw-gateway.ts';

/** The gate of one stage, as its environments have it: one row, and real probes. */
export interface StageGate {
  /** A gate for one more environment. */
  environment(): Gate;
  /** The row. */
  row(): Promise<GateRow | undefined>;
  /** What was counted, by metric. */
  readonly counted: ReadonlyMap<MetricName, number>;
}

/** Makes the gate over a ledger, on the clock of a bench. */
export function stageGate(options: {
  readonly gateway: Pick<RawGateway, 'baseUrl'>;
  readonly ledger: Ledger;
  readonly now: () => Date;
}): StageGate {
  const { gateway, ledger, now } = options;
  const counted = new Map<MetricName, number>();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const token = { get: async () => canary, refresh: async () => canary };
  let environments = 0;
  let draws = 0;
  return {
    environment: () =>
      createGate({
        ledger,
        probe: createGatewayProbe({ baseUrl: gateway.baseUrl, token, log }),
        owner: `environment-${(environments += 1)}`,
        log,
        count: (metric, value) => void counted.set(metric, (counted.get(metric) ?? 0) + value),
        now,
        // Spread over the unit, the same at each run.
        random: () => ((draws += 1) * 0.618) % 1,
      }),
    row: () => ledger.read<GateRow>(ledgerKeys.gate()),
    counted,
  };
}
