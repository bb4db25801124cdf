import { without } from '../../mutant.ts';
import { decisions, runs } from '../../test-files.ts';

/** What keeps a start from being sent twice, too late, over a later stop, or with an id that is used. */
export const startMutants = [
  ...without('functions/_runs/decide/missed-starts.ts', runs('missed-starts'), {
    'after an outage one start stands for all that were missed': ['if (newest !== undefined)', "if (newest === '')"],
  }),
  ...without('functions/_runs/decide/start-times.ts', runs('missed-starts'), {
    'the planned stop of a missed start counts from its sending': ['isMissed(moment) ? moment.now.getTime() : 0', '0'],
  }),
  ...without('functions/_runs/decide/start.ts', runs('starts'), {
    'a start uses an id that no start has used': ['.find((id) => isFreeId(idRow(moment, id)));', '[0];'],
    'a start that names an id takes that one': [
      'campaignRunId === undefined ? idsOf(moment, run, moment.now).free : [campaignRunId];',
      'idsOf(moment, run, moment.now).free;',
    ],
    'a start of a name that is not configured is parked': [
      "if (run === undefined) return ends(moment, parked('CONFIG',",
      "if (run === undefined) return ends(moment, skipped('PAUSED',",
    ],
  }),
  ...without('functions/_runs/decide/start.ts', [...decisions('decide'), ...runs('starts')], {
    'an id is used in the write before the PATCH': [', idRowOf(entry, target), own', ', own'],
    'a run is in flight before its PATCH leaves': ['withNewEntry(moment, entry), usedBy', 'usedBy'],
    'a start earlier than a stop of its name is superseded': ['undefined && !isFirst', 'undefined && isFirst'],
  }),
  ...without('functions/_runs/decide/start.ts', [...decisions('decide'), ...runs('deaths')], {
    'its own row knows the id before the PATCH leaves': ['campaignRunId, target, facts', 'target, facts'],
  }),
  ...without('functions/_runs/decide/start.ts', decisions('decide'), {
    'a start whose entry is gone is not sent again':
      'if (own?.campaignRunId !== undefined) return endGone(moment, own);',
    'a run that makes room counts as one that is being stopped': [
      "changedTargets(left, ({ startId }) => ({ state: 'stopping', orderedBy: commandIds.end(startId) }))",
      'changedTargets(left, () => ({}))',
    ],
  }),
  ...without('functions/_runs/decide/start.ts', [...decisions('decide'), ...runs('in-doubt')], {
    'a start whose run a stop ended is superseded': [': isEnd(end)\n', ': !isEnd(end)\n'],
  }),
  ...without('functions/_runs/decide/start.ts', runs('in-doubt'), {
    'a start without an outcome says when its run may have run': ['{ campaignRunId, mayHaveRun }', '{ campaignRunId }'],
  }),
  ...without('functions/_runs/decide/start.ts', decisions('decide'), {
    'no run is ended for a start that has no id': [
      'if (campaignRunId === undefined) {',
      "if (campaignRunId === undefined && judged.kind === 'stop-first') return endOthers(moment, judged);\n  if (campaignRunId === undefined) {",
    ],
    'no run is ended for a start before its campaign is read': [' && moment.', " && judged.kind === 'pass' && moment."],
  }),
  ...without('functions/_runs/decide/start.ts', [...decisions('decide'), ...runs('guards/overlap')], {
    'a run that makes room is ended by a command of its own': [
      "const effect = stops.length === 0 ? undefined : ({ do: 'send-ends', ends: stops } as const);",
      'const effect = undefined;',
    ],
    'a stop that makes room is sent once': ["entry.state !== 'stopping'", 'entry.state !== undefined'],
  }),
  ...without('functions/_runs/rounds.ts', runs('guards/guards'), {
    'what is read counts with the switches of that moment': [
      "made.event.type === 'answered' ? written : await withSwitchesNow(written, deps)",
      'written',
    ],
  }),
  ...without('functions/_runs/rounds.ts', ['test/faults/queue/duplicates.test.ts'], {
    'a command that has its outcome is not decided again':
      "if (ended?.outcome !== undefined && event.type !== 'answered')\n    return reportOutcome(ended, work, deps, { isRepeat: true });",
  }),
  ...without('functions/_runs/load.ts', runs('starts'), {
    'rows that were written concurrently are read again': ['if (writes.length === 0)', 'if (writes.length >= 0)'],
  }),
  ...without('functions/_runs/decide/start-times.ts', [...runs('starts')], {
    'a startAt is far enough ahead to reach the gateway before it': ['() + ms(startLead) + aheadMs', '() + aheadMs'],
  }),
  ...without('functions/_runs/decide/start-times.ts', runs('refused-starts'), {
    'a gateway whose clock is ahead gets a later startAt': ['() + ms(startLead) + aheadMs', '() + ms(startLead)'],
    'every try of a start has the same key, and another start another': [', command.id', ', now.toISOString()'],
  }),
  ...without('functions/_runs/decide/start-times.ts', runs('starts'), {
    'a run that is due later begins then': ['Math.max(due.getTime(), now', 'Math.max(0, now'],
    'a word starts a delayed run at its startAt': '|| due > now ',
  }),
  ...without('functions/update-campaign-runs/send-patch.ts', runs('slots-and-days'), {
    'a worker that was frozen behind its last write sends nothing':
      'if (remainingMs() < callBudgetMs) return { answer: noTimeLeft };',
  }),
];
