import { expect, test } from 'vitest';
import type { FunctionLogLine } from '#local/lambda/local-function.ts';
import type { LocalSchedule } from '#local/schedules/local-schedule.ts';
import { commandsToTry, pastLine, readyLine, scheduleLine } from '#local/stage/summary.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import { releasedLine, terminalLine } from '#local/stage/terminal-lines.ts';

const denied =
  'User: arn:aws:sts::000000000000:assumed-role/Register/register-datasets is not authorized to perform: sqs:ChangeMessageVisibility on resource: arn:aws:sqs:eu-west-1:000000000000:uploads';

/** A line as the functions' log writes it. */
function written(fields: object): FunctionLogLine {
  const line = { service: 'register-datasets', level: 'INFO', event: 'failed', message: 'something', ...fields };
  return { functionName: 'Stack-RegisterDatasets-x', requestId: 'r1', stream: 'stdout', text: JSON.stringify(line) };
}

function platform(text: string): FunctionLogLine {
  return { functionName: 'Stack-Poll-x', requestId: 'r1', stream: 'platform', text };
}

// It said "1 messages".
test.each([
  [1, '1 message that an earlier run had in hand is delivered again'],
  [2, '2 messages that an earlier run had in hand are delivered again'],
])('says of %i released what becomes of it', (released, line) => {
  expect(releasedLine(released)).toBe(line);
});

const error = { name: 'AccessDenied', message: denied };
const dataset = { key: 'datasets/a.csv', datasetId: 'd-1' };

test.each([
  [
    'an outcome in one line with its detail',
    written({ event: 'outcome', message: 'parked CHECK_FAILED a.csv', detail: 'row 3' }),
    'register-datasets       parked CHECK_FAILED a.csv  row 3',
  ],
  [
    'an upload that was registered, with its key and its dataset',
    written({ event: 'dataset_created', message: 'registered', ...dataset }),
    'register-datasets       registered  datasets/a.csv as dataset d-1',
  ],
  [
    'an attempt that failed, with the error once',
    written({ level: 'ERROR', message: `attempt failed: ${denied}`, error }),
    `register-datasets       attempt failed: ${denied}`,
  ],
  [
    'the error behind a warning: role, action and resource of a missing grant',
    written({ level: 'WARN', message: 'the visibility timeout could not be changed', error }),
    `register-datasets       the visibility timeout could not be changed  AccessDenied: ${denied}`,
  ],
  [
    'a warning whose error is no error of ours all the same',
    written({ level: 'WARN', error: 'text' }),
    'register-datasets       something',
  ],
  [
    'what the platform says of an invocation that failed',
    platform(`ERROR RequestId: r1 AccessDenied: ${denied}`),
    `Stack-Poll-x  ERROR RequestId: r1 AccessDenied: ${denied}`,
  ],
])('the terminal shows %s', (_what, line, shown) => {
  expect(terminalLine(line)).toBe(shown);
});

test.each([
  ['a routine line', written({})],
  ['a line that is not of our log', { ...written({}), text: 'hello' }],
  ['the start of an invocation', platform('START RequestId: r1')],
  ['the end of an invocation', platform('END RequestId: r1')],
  ['the bill of an invocation', platform('REPORT RequestId: r1')],
  ['an invocation that ended with the run', platform('INTERRUPTED RequestId: r1 Runtime.ExitError')],
  ['the test event of a new bucket', written({ event: 'outcome', notification: 's3:TestEvent' })],
])('the terminal leaves to the log file %s', (_, line) => {
  expect(terminalLine(line)).toBeUndefined();
});

// Pasted, they met the run in the usual folder, or none.
test('the commands to try name the folder of a run that has its own', () => {
  expect(commandsToTry('weeknights', '/tmp/my stage')).toEqual([
    "  npx --no -- autopilot upload examples/datasets/prompt-injection.csv --data '/tmp/my stage'",
    "  npx --no -- autopilot fire weeknights --data '/tmp/my stage'",
    "  npx --no -- autopilot status --data '/tmp/my stage'",
  ]);
  expect(commandsToTry('weeknights').at(-1)).toBe('  npx --no -- autopilot status');
});

// The first start of a stage said "at work on 1 in …Uploads4F6EB0FD": the test event of its own bucket.
test('a start names what an earlier run left, by the plain name of its queue, and nothing else', () => {
  const outputs = {
    CommandsQueueUrl: 'http://127.0.0.1:1/0/State-Commands361',
    UploadsQueueUrl: 'http://127.0.0.1:1/0/State-Uploads4F6',
  } as StageOutputs;
  const none = { visible: 0, inFlight: 0, delayed: 0 };

  expect(pastLine({ 'State-Uploads4F6': none }, outputs)).toEqual([]);
  expect(
    pastLine({ 'State-Uploads4F6': { visible: 1, inFlight: 2, delayed: 0 }, 'State-Commands361': none }, outputs),
  ).toEqual(['', '  goes on with what the last run left: 3 in uploads']);
});

// One line in UTC, the next one in Europe/Dublin.
test.each([
  ['cron(0 22 ? * MON *)', 'Europe/Dublin', '  nightly cron(0 22 ? * MON *)         next Mon 23 Nov 22:00'],
  ['cron(0 22 ? * MON *)', 'Asia/Tokyo', '  nightly cron(0 22 ? * MON *) Asia/Tokyo next Mon 23 Nov 22:00'],
  ['rate(5 minutes)', 'UTC', '  nightly rate(5 minutes)              next Mon 23 Nov 22:00'],
])('%s in %s is shown with its next time in the zone of the stage', (ScheduleExpression, zone, line) => {
  const schedule = { Name: 'nightly', State: 'ENABLED', ScheduleExpression, ScheduleExpressionTimezone: zone };

  expect(
    scheduleLine({ schedule: schedule as LocalSchedule, next: new Date('2026-11-23T22:00:00Z') }, 7, 'Europe/Dublin'),
  ).toBe(line);
});

// Half a screen of JSON was the last that a person saw.
test('READY is one short line on a terminal, and its addresses are JSON for a script', () => {
  const facts = { mode: 'act', aws: 'http://127.0.0.1:4566', gateway: 'http://127.0.0.1:4010' };

  expect(readyLine(facts, true)).toBe('READY: the stage acts. Ctrl-C ends it and keeps its state');
  expect(readyLine({ mode: 'observe' }, true)).toBe(
    'READY: the stage only observes, and starts nothing. Ctrl-C ends it and keeps its state',
  );
  expect(readyLine(facts, false)).toBe(`READY ${JSON.stringify(facts)}`);
});
