import type { JudgedFinding } from '../finding.ts';
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
  return runs.flatMap((run): readonly JudgedFinding[] => {
    const what = subjects[run.state];
    if (what === undefined || run.tone === 'plain' || decided.has(run.startId)) return [];
    return [
      {
        subject: `${run.run}'s ${what}`,
        state: run.tone === 'bad' ? 'problem' : 'warning',
        says: run.says,
        // Then no stop can be sent, and no answer comes.
        causes: [gatewayConnection],
        next: what === 'stop' && mode === 'observe' ? { says: stopElsewhere } : run.next,
      },
    ];
  });
}
