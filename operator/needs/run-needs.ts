import { type JudgedFinding, judged } from '../finding.ts';
import type { RunReport } from '../run-state/run-report.ts';
import { stopElsewhere } from '../runs/runs-in-flight.ts';
import type { ReadStatus } from '../status/status.ts';
import { gatewayConnection } from '../stage/gate-status.ts';

/** What a state of a run is a need of. */
const subjects: Readonly<Partial<Record<RunReport['state'], 'stop' | 'start'>>> = {
  'not-stopped': 'stop',
  'stop-due': 'stop',
  unanswered: 'start',
};

/** Runs that go on past their stop, or whose start has no answer. What failed, or was not seen, is a finding. Pure. */
export function runFindings({ runs, mode, parked }: ReadStatus): readonly JudgedFinding[] {
  const decided = new Set(parked.map(({ subject }) => subject));
  return runs.flatMap((run) => {
    const what = subjects[run.state];
    if (what === undefined || run.tone === 'plain' || decided.has(run.startId)) return [];
    const next = what === 'stop' && mode === 'observe' ? { says: stopElsewhere } : run.next;
    // Then no stop can be sent, and no answer comes.
    const causes = [gatewayConnection];
    return [judged[run.tone === 'bad' ? 'problem' : 'warning'](`${run.run}'s ${what}`, run.says, { causes, next })];
  });
}
