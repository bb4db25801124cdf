import { without } from '../../mutant.ts';
import { ledger, watcher } from '../../test-files.ts';

/** What keeps the watcher from losing a planned stop, a deferred start or a run that has ended, and from counting one out too early. */
export const dueMutants = [
  ...without('functions/watch-campaigns/follow-alarms.ts', watcher('follow-alarms'), {
    'a run of a campaign that an alarm holds is stopped': ['(ringing.length > 0) await', '(ringing.length < 0) await'],
    'an alarm without enough data lifts nothing': ["(state !== 'ALARM' && state !== 'OK')", '(state === undefined)'],
    'a run that a person started past the alarm goes on':
      "if (command?.override?.guards.includes('alarm') === true) return [];",
    'an alarm that does not exist is no alarm that is quiet': ['if (missing.length === 0)', 'if (missing.length >= 0)'],
  }),
  ...without('functions/_runs/decide/own-stops.ts', watcher('follow-alarms'), {
    'an alarm that flaps stops a run once': ['id: commandIds.end(entry.startId)', 'id: `end:${now.toISOString()}`'],
  }),
  ...without('shared/ledger/switches.ts', watcher('follow-alarms'), {
    'an alarm lifts its own hold and no pause of a person': [
      "return { scope: 'alarm', name: `${campaign}/${alarmNameOf(alarmArn)}` };",
      "return { scope: 'campaign', name: campaign };",
    ],
  }),
  ...without('infra/stacks/tick-workers.ts', ['test/infra/alarms/halt-on.test.ts'], {
    'a change of an alarm calls the watcher at once': ['resources: [...arns],', "resources: ['none'],"],
  }),
  ...without('shared/config/references/guard-references.ts', ['test/unit/shared/config/resolve-automation.test.ts'], {
    'an alarm of another account or region is refused by its name': ['(one) !== placeOf(first)', "(one) === ''"],
  }),
  ...without('shared/aws/alarms-and-calendars.ts', ['test/integration/shared/aws/alarms.test.ts'], {
    'composite alarms are asked for': ["['MetricAlarm', 'CompositeAlarm']", "['MetricAlarm']"],
  }),
  ...without('functions/watch-campaigns/settle-runs.ts', watcher('settle-runs'), {
    'a stop that is due is sent': ["if (lateMs < 0 || (!plansStop && state === 'running'))", 'if (lateMs >= 0)'],
    'a run that plans no stop gets none while it runs': " || (!plansStop && state === 'running')",
    'a run whose stop never arrived is stopped': "entry.state === 'stopping' ? lostStop(entry, rows, now) : ",
    'a stop that workers try gets no second one':
      'if (ordering !== undefined && lateMs < sendAgainAfterMs) return undefined;',
    'a start without an answer is left alone while workers try it': [
      'if (lateMs < sendAgainAfterMs) return undefined;\n  const sentence = `start',
      'const sentence = `start',
    ],
    'a run whose stop has its outcome is running again': [
      "ordering?.outcome === undefined ? undefined : 'released'",
      'undefined',
    ],
    'a run without a planned stop is counted out at its end': "if (!plansStop) return 'counted-out';",
    'a run with a planned stop is counted out only an hour after the outcome of that': [
      "return now.getTime() - stoppedMs >= sendAgainAfterMs ? 'counted-out' : undefined;",
      "return 'counted-out';",
    ],
    'a run whose start or stop has no outcome is never counted out': ["state !== 'running' || Date", 'Date'],
  }),
  ...without('functions/_runs/decide/own-stops.ts', watcher('settle-runs'), {
    'a planned stop is of its start, so that it ends no other': ['startId, origin', 'origin'],
  }),
  ...without('functions/watch-campaigns/send-due-commands.ts', watcher('settle-runs', 'send-due-commands'), {
    'what was sent and has no outcome for an hour is sent again': [
      'if (before !== undefined && now.getTime() - Date.parse(before) < sendAgainAfterMs) return false;',
      'if (before !== undefined) return false;',
    ],
    'what one tick sent is remembered, whatever else failed': ['await Promise.allSettled([sending])', 'await sending'],
  }),
  ...without('functions/watch-campaigns/send-due-commands.ts', watcher('settle-runs'), {
    'what was sent is not sent each minute':
      'if (before !== undefined && now.getTime() - Date.parse(before) < sendAgainAfterMs) return false;',
    'what has its outcome is not sent again': ['row?.outcome === undefined && !isDeferredAgain', '!isDeferredAgain'],
  }),
  ...without('functions/watch-campaigns/send-due-commands.ts', watcher('send-due-commands'), {
    'a start that was deferred again is not sent': ['!isDeferredAgain && !isTried;', '!isTried;'],
    'what a worker still tries gets no second message each hour': ['!isDeferredAgain && !isTried', '!isDeferredAgain'],
    'a deferred start is sent once its blackout is over, and not before': ['if (lateMs >= 0) due.push', 'due.push'],
  }),
  ...without('functions/watch-campaigns/watch-runs.ts', watcher('settle-runs'), {
    'rows that cannot be read keep no planned stop from being sent': [
      'const [rows] = await Promise.allSettled([reading]);',
      "const [rows] = [{ status: 'fulfilled' as const, value: await reading }];",
    ],
    'a target that changed since the index was read is left as it is': [
      'await deps.ledger.write<TargetRow>(target, next)',
      'await deps.ledger.write<TargetRow>(await deps.ledger.read<TargetRow>(target.pk), next)',
    ],
  }),
  ...without('shared/ledger/rows/target-row.ts', [...watcher('settle-runs'), ...ledger('rows/target-row')], {
    'a run that is counted out keeps the minimum gap of its campaign': [
      'return { ...withoutRun(row, startId), lastDue: { ...row.lastDue, [campaign]: last } };',
      'return withoutRun(row, startId);',
    ],
  }),
  ...without('shared/ledger/open-rows.ts', ledger('open-rows'), {
    'every run of a target is in flight': ['row.runs.map', 'row.runs.slice(0, 1).map'],
  }),
  ...without('functions/watch-campaigns/confirm-start.ts', watcher('confirm-start'), {
    'a start counts as shown only by its own id, or by a run that began no earlier': [
      'lastRunAt !== undefined && Date.parse(lastRunAt) >= startAt.getTime() - toleranceMs',
      'lastRunAt !== undefined',
    ],
    'nothing is missing before its time has ended': ' && new Date(read.at) >= start.until',
  }),
];
