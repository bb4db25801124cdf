import { expect, test } from 'vitest';
import { exitCodes } from '#cli/terminal/command.ts';
import { metricNames, metricNamespace, metricService } from '#shared/vocabulary/metric-names.ts';
import { alarmNames, alarmPrefix, runbookOfAlarm } from '#infra/constructs/monitoring/alarm-names.ts';
import { datasetsPrefix, eventSource, eventTypes, functionNames } from '#shared/vocabulary/resource-names.ts';
import { guardNames, type OutcomeKind, parkReasons, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { originKinds } from '#shared/messages/campaign-run-command.ts';
import {
  bucketNotificationsOutput,
  scheduleGroupName,
  stackNames,
  stateOutputs,
  workersOutputs,
  policyOutputs,
} from '#shared/vocabulary/stack-outputs.ts';

/** A kind is a type only, so the compiler holds this table complete. */
const outcomeKinds: Readonly<Record<OutcomeKind, true>> = {
  applied: true,
  superseded: true,
  skipped: true,
  ignored: true,
  parked: true,
};

test('names that users and their tools see stay', async () => {
  const names = {
    outcomes: Object.keys(outcomeKinds),
    origins: originKinds,
    guards: guardNames,
    // By their decisions; a code that skips has none.
    reasons: {
      parked: Object.entries(parkReasons).map(([code, { decisions }]) => `${code}: ${decisions.join(', ')}`),
      skipped: Object.keys(skipReasons),
    },
    functions: functionNames,
    exitCodes,
    events: { source: eventSource, types: Object.values(eventTypes) },
    logEvents: Object.values(logEvents).toSorted(),
    metrics: {
      namespace: metricNamespace,
      names: Object.values(metricNames)
        .map((name) => `${name} (${metricService(name, 'of its function')})`)
        .toSorted(),
    },
    alarms: { prefix: alarmPrefix('prod'), names: alarmNames.toSorted() },
    runbookOfAnAlarm: runbookOfAlarm('StopsLate'),
    datasetsPrefix,
    stacks: stackNames('prod'),
    scheduleGroup: scheduleGroupName('prod'),
    outputs: { state: stateOutputs, policies: policyOutputs, notifications: bucketNotificationsOutput, workersOutputs },
  };

  await expect(`${JSON.stringify(names, null, 2)}\n`).toMatchFileSnapshot('files/names.json');
});
