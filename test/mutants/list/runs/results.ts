import { without } from '../../mutant.ts';
import { ledger, runs, watcher } from '../../test-files.ts';

const alarms = ['test/infra/alarms/alarms.test.ts'];

/** What keeps scores, findings about runs and their alarms true. */
export const resultMutants = [
  ...without('shared/ledger/results/run-ends-row.ts', ledger('rows/run-ends-row'), {
    'a run that failed is no point of the scores': ["end.state === 'complete' && end.score", 'end.score'],
    'a score below its limit is low': ['&& score < atLeast', '&& score < 0'],
    'a score that falls further than it may is low': ['usual - score > mayFallBy', 'usual - score > 100'],
    'a fall takes two complete runs before it': ['const leastBefore = 2;', 'const leastBefore = 1;'],
    'failures push no complete run out of the comparison': ['complete: isComplete ?', 'complete: row ?'],
  }),
  ...without('shared/ledger/results/finding-row.ts', watcher('findings'), {
    'an earlier run that ends late does not end the finding of a later one':
      ' || Date.parse(before.startAt) > Date.parse(startAt)',
    'a finding stands in the list of what needs attention': ["openState: 'PARKED', ", ''],
  }),
  ...without('functions/watch-campaigns/note-end.ts', watcher('findings'), {
    'each finding is an event': ['await publishEnd(ended, found, deps)', 'await publishEnd(ended, [], deps)'],
    'a complete run ends the finding of a failed one': ['|| (isGood ? false : undefined)', '|| undefined'],
    'a run without a score neither is low nor ends a fall': [
      'isPoint(end) ? low !== undefined',
      'isGood ? low !== undefined',
    ],
    'a low score is counted for its alarm': '    reports.count(metricNames.scoresLow, 1);\n',
    'a fall names what changed before it': ['changed: changedBefore(bare, known, changes)', 'changed: undefined'],
  }),
  ...without('functions/watch-campaigns/note-end.ts', watcher('read-runs'), {
    'a run that failed is counted for its alarm': 'reports.count(metricNames.runsFailed, 1);',
  }),
  ...without('functions/watch-campaigns/confirm-start.ts', watcher('findings'), {
    'a start that nothing shows is a finding': ['isMissing: isNewlyMissing', 'isMissing: isMissing(start)'],
  }),
  ...without('functions/watch-campaigns/read-runs.ts', watcher('read-runs'), {
    'a run that was stopped before it began has no end': ['new Date(entry.stoppedAt) >= startAt', 'true'],
    'a run that goes on for long is read each five minutes': ['>= laterEachMs', '>= 0'],
  }),
  ...without('functions/watch-campaigns/watch-runs.ts', watcher('read-runs'), {
    'a stopped run that cannot be read is forgotten within the hour': ['withStopped(target, unread)', 'target'],
  }),
  ...without('functions/_runs/decide/stop.ts', runs('runs-read'), {
    'a run that was stopped is read once more': ['return isRead ?', 'return entry === undefined ?'],
    'a run that was stopped before it began is not read': ' && Date.parse(entry.due) <= now.getTime()',
  }),
  ...without('infra/stacks/tick-workers.ts', alarms, {
    'a run that failed rings': ["alarms.ring(worker, 'RunFailed',", "void ('RunFailed',"],
    'a low score rings': ["alarms.ring(worker, 'ScoreLow',", "void ('ScoreLow',"],
    'a start that nothing shows rings': ["alarms.ring(worker, 'RunUnseen',", "void ('RunUnseen',"],
  }),
];
