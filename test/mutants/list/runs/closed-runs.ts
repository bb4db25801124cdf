import type { Mutant } from '../../mutant.ts';
import { decisions, ledger, runs } from '../../test-files.ts';

/** What keeps a run from being closed while it may be running, and from staying open after its end. */
export const closedRunMutants: readonly Mutant[] = [
  {
    name: 'a run whose planned stop is not applied is never closed',
    file: 'shared/ledger/close-run.ts',
    from: 'if (state.start.plannedStop !== undefined && !isDismissed) return undefined;',
    to: '',
    tests: ledger('close-run'),
  },
  {
    name: 'a run is closed only once its time is over',
    file: 'shared/ledger/close-run.ts',
    from: 'if (!isDismissed && Date.parse(state.start.until) > now.getTime()) return undefined;',
    to: '',
    tests: ledger('close-run'),
  },
  {
    name: 'a run whose start has no outcome is never closed',
    file: 'shared/ledger/close-run.ts',
    from: 'return start?.outcome !== undefined && Date.parse',
    to: 'return Date.parse',
    tests: ledger('close-run'),
  },
  {
    name: 'a start in doubt is closed only once it can land no more',
    file: 'shared/ledger/close-run.ts',
    from: 'return start?.outcome !== undefined && Date.parse(landsUntil) + maxAheadMs <= now.getTime();',
    to: 'return start?.outcome !== undefined;',
    tests: ledger('close-run'),
  },
  {
    name: 'a planned stop, or its dismissal, is about the start that planned it, and no other',
    file: 'shared/ledger/rows/run-row.ts',
    from: 'return start?.startId === plannedBy?.startId && start',
    to: 'return start',
    tests: [...ledger('close-run'), ...decisions('order')],
  },
  {
    name: 'a planned stop, or its dismissal, is about no later order of its start',
    file: 'shared/ledger/rows/run-row.ts',
    from: 'start?.startId === plannedBy?.startId && start?.plannedStop?.at === plannedBy?.at;',
    to: 'start?.startId === plannedBy?.startId;',
    tests: [...ledger('close-run'), ...decisions('order')],
  },
  {
    name: 'a closed run takes no start while an earlier request of it may land',
    file: 'shared/ledger/close-run.ts',
    from: "const idle: Idle = { state: 'idle', noStartBefore };",
    to: "const idle: Idle = { state: 'idle' };",
    tests: ledger('close-run'),
  },
  {
    name: 'a closed run frees its campaign',
    file: 'shared/ledger/close-run.ts',
    from: '[changed<GuardRow>(guard, freed(guard, { campaignRunId, startId, at: now.toISOString() }))]',
    to: '[]',
    tests: ledger('close-run'),
  },
  {
    name: 'a closed run is not stopped by its name',
    file: 'shared/ledger/close-run.ts',
    from: '...(pool?.live.includes(campaignRunId) === true',
    to: "...(pool?.live.includes('') === true",
    tests: ledger('close-run'),
  },
  {
    name: 'a dismissed stop of a start in doubt is taken off its row',
    file: 'shared/ledger/close-run.ts',
    from: 'return isDismissed ? disarmed(rows, { ...state, start: withoutStop(state.start) }, state.start) : undefined;',
    to: 'return undefined;',
    tests: ledger('close-run'),
  },
  {
    name: 'runs whose planned stop is late are in flight',
    file: 'shared/ledger/open-rows.ts',
    from: 'const isOpen = start.plannedStop !== undefined || Date.parse',
    to: 'const isOpen = Date.parse',
    tests: ledger('open-rows'),
  },
  {
    name: 'runs whose time is over are not in flight',
    file: 'shared/ledger/open-rows.ts',
    from: 'start.plannedStop !== undefined || Date.parse(start.until) > now.getTime();',
    to: "start.startId !== '';",
    tests: ledger('open-rows'),
  },
  {
    name: 'a planned stop that is dismissed under another stop is taken off the row',
    file: 'shared/ledger/close-run.ts',
    from: "if ('stop' in state) return disarmedBefore(rows, state);",
    to: "if ('stop' in state) return undefined;",
    tests: runs('unsettled-runs'),
  },
];
