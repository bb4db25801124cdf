import { createGate } from '#functions/_gateway/create-gate.ts';
import type { Gate } from '#functions/_gateway/gate.ts';
import type { LogFields } from '#functions/_handler/output.ts';
import { BadStatusError, classifyFailure, NotSentError, type Verdict } from '#shared/gateway-client/index.ts';
import type { GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';

/** More than any test has reason for. */
const mostProbes = 50;

/** What a POST that met such an answer says to the gate. */
export function verdictOf(status: number, retryAfterMs?: number): Verdict {
  const details = { text: '', fields: [] };
  return classifyFailure('post', new BadStatusError('POST /datasets', { status, retryAfterMs, details }));
}

/** A POST that never left. */
export const unreachable: Verdict = classifyFailure('post', new NotSentError('POST /datasets'));

/** Gates of several environments over one ledger in memory, on one clock. */
export function createGateBench() {
  const ledger = createMemoryLedger();
  const lines: { readonly event: string; readonly level: string; readonly fields: LogFields | undefined }[] = [];
  const counted: string[] = [];
  const at = (level: string) => (event: string, _sentence: string, fields?: LogFields) =>
    void lines.push({ event, level, fields });
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
        log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
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
