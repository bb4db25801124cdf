/** Runs by how they stand: in flight, or ended. Pure, and read by the page of the console too: it imports types alone. */
import type { RunReport } from './run-report.ts';

/** A state as people read it: `may have run`. */
export function stateWord(state: string): string {
  return state.replaceAll('-', ' ');
}

/** Whether a run is in flight, or about to be: a person may still stop it. */
export function isInFlight({ state, endedAt }: RunReport): boolean {
  return endedAt === undefined && !notInFlight.has(state);
}

const notInFlight: ReadonlySet<RunReport['state']> = new Set([
  'observed',
  'not-started',
  'failed',
  'may-have-run',
  'deferred',
  'waiting',
]);

/**
 * How the runs of a day ended, the worst first; `undefined` if none did.
 * @example endsOf(runs) // '2 runs: 1 failed (acme), 1 complete (score 87)'
 */
export function endsOf(runs: readonly RunReport[]): string | undefined {
  const ended = runs.filter(({ state }) => endStates.includes(state));
  if (ended.length === 0) return undefined;
  const parts = endStates.flatMap((state) => {
    const those = ended.filter((run) => run.state === state);
    if (those.length === 0) return [];
    const scores = those.flatMap(({ score }) => score ?? []).join(', ');
    const broken = [...new Set(those.flatMap(({ failedProviders = [] }) => failedProviders))];
    const more = [...broken, ...(scores === '' ? [] : [`score ${scores}`])].join('; ');
    return [`${those.length} ${stateWord(state)}${more === '' ? '' : ` (${more})`}`];
  });
  return `${ended.length} run${ended.length === 1 ? '' : 's'}: ${parts.join(', ')}`;
}

/** The worst first. */
const endStates: readonly RunReport['state'][] = [
  'failed',
  'may-have-run',
  'unconfirmed',
  'complete',
  'stopped',
  'cancelled',
  'over',
];
