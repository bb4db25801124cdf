import { createGate } from '#functions/_gateway/create-gate.ts';
import type { Gate } from '#functions/_gateway/gate.ts';
import { classifyFailure, NotSentError, type Verdict } from '#shared/gateway-client/index.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { keptOutput, statusError } from '../../../builders/ports.ts';

/** More than any test has reason for. */
const mostProbes = 50;

/** What a POST that met such an answer says to the gate. */
export function verdictOf(status: number, retryAfterMs?: number): Verdict {
  return classifyFailure('post', statusError(status, { retryAfterMs }, 'POST /datasets'));
}

/** A POST that never left. */
export const unreachable: Verdict = classifyFailure('post', new NotSentError('POST /datasets'));

/** Gates of several environments over one ledger in memory, on one clock. */
export function createGateBench() {
  const ledger = createMemoryLedger();
  const { lines, log } = keptOutput();
  const counted: string[] = [];
  const state = {
    nowMs: Date.parse('2026-11-20T22:00:00Z'),
    reads: 0,
    writes: 0,
    probes: [] as number[],
    probeTimes: [] as (number | undefined)[],
  };
  const faults = {
    probe: async (): Promise<void> => {},
    ledger: async (): Promise<void> => {},
  };

  return {
    ledger,
    lines,
    counted,
    state,
    faults,

    gate(owner = 'environment-1'): Gate {
      return createGate({
        ledger: {
          read: async (pk) => {
            state.reads += 1;
            await faults.ledger();
            return ledger.read(pk);
          },
          write: async (before, after) => {
            state.writes += 1;
            await faults.ledger();
            return ledger.write(before, after);
          },
        },
        probe: async (probeMs) => {
          state.probes.push(state.nowMs);
          state.probeTimes.push(probeMs);
          // Callers that probe in each other's probe would never end.
          if (state.probes.length > mostProbes) throw new Error('a hot loop of probes');
          await faults.probe();
        },
        owner,
        log,
        count: (metric) => void counted.push(metric),
        now: () => new Date(state.nowMs),
        random: () => 0.5,
      });
    },

    row: () => ledger.read<GateRow>(ledgerKeys.gate()),

    pass(ms: number): void {
      state.nowMs += ms;
    },

    /** Passes the time for which a row counts as fresh. */
    passALittle(): void {
      state.nowMs += 6000;
    },
  };
}

/** A bench whose gate is closed, as seen by one environment. */
export async function closedGate() {
  const bench = createGateBench();
  const gate = bench.gate();
  await gate.failed(verdictOf(401), 'upload-1');
  return { bench, gate };
}

/** The same when its probe is due; what the probe meets. */
export async function dueProbe(probe: () => Promise<void> = async () => {}) {
  const { bench, gate } = await closedGate();
  bench.pass(27_000);
  bench.faults.probe = probe;
  return { bench, gate };
}
