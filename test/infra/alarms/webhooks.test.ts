import type { IAdaptiveCard } from '@microsoft/teams.cards';
import type { KnownBlock } from '@slack/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { slackBody, teamsBody } from '#infra/constructs/monitoring/webhooks.ts';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { at, configurations, type Json, listOf, ofType, type StageTemplates, synthesize, textAt } from '../template.ts';
import { deliveriesOf } from './alarms-of-template.ts';

const message = { lines: ['Stage prod.', 'Parked: <reason>.'], fields: { reason: '$.detail.reason' } };
const link = { title: 'Dashboard', url: 'https://example.com/#dashboard' };

describe('the body for a chat', () => {
  test('is what Slack takes: a text, and a block with the link', () => {
    const { text, blocks } = slackBody(message, link);
    const typed: readonly KnownBlock[] = blocks; // Slack's own types

    expect(text).toBe('Stage prod.');
    expect(typed).toEqual([
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*Stage prod.*\nParked: <reason>.\nDashboard: https://example.com/#dashboard' },
      },
    ]);
  });

  test('is what a workflow of Teams takes: an Adaptive Card with the link as its action', () => {
    const [attachment] = teamsBody(message, link).attachments;
    const typed: IAdaptiveCard | undefined = attachment?.content; // made from the schema of Adaptive Cards

    expect(attachment?.contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(typed?.body).toEqual([
      { type: 'TextBlock', text: 'Stage prod.', wrap: true, weight: 'Bolder' },
      { type: 'TextBlock', text: 'Parked: <reason>.', wrap: true },
    ]);
    expect(typed?.actions).toEqual([{ type: 'Action.OpenUrl', title: 'Dashboard', url: link.url }]);
  });
});

describe('a stage with webhooks', () => {
  let stage: StageTemplates;
  const named = (type: string) => ofType(stage.workers, type).map(([, { Properties }]) => Properties);
  const rules = () => named('AWS::Events::Rule');

  beforeAll(async () => {
    stage = await synthesize(configurations.webhooks);
  });

  test('names secrets in its template, and holds no address and no key', () => {
    expect(named('AWS::Events::ApiDestination').map((one) => JSON.stringify(at(one, 'InvocationEndpoint')))).toEqual([
      '"{{resolve:secretsmanager:team/slack:SecretString:url::}}"',
      '"{{resolve:secretsmanager:team/teams:SecretString:url::}}"',
      '"{{resolve:secretsmanager:team/receiver:SecretString:url::}}"',
    ]);
    const keys = named('AWS::Events::Connection').map((one) => at(one, 'AuthParameters.ApiKeyAuthParameters'));
    expect(keys).toEqual([
      { ApiKeyName: 'x-api-key', ApiKeyValue: 'none' },
      { ApiKeyName: 'x-api-key', ApiKeyValue: 'none' },
      { ApiKeyName: 'x-api-key', ApiKeyValue: '{{resolve:secretsmanager:team/receiver:SecretString:key::}}' },
    ]);
  });

  test('sends each notice and each alarm to each webhook, with a dead-letter queue behind', () => {
    const reached = rules().map((rule) =>
      targetsOf(rule)
        .map(destinationOf)
        .filter((id) => id.includes('Destination')),
    );

    expect(reached.length).toBeGreaterThan(4);
    for (const ids of reached) expect(new Set(ids).size).toBe(3);
    for (const target of rules()
      .flatMap(targetsOf)
      .filter((one) => destinationOf(one) !== '')) {
      expect(textAt(target, 'DeadLetterConfig.Arn.Fn::GetAtt.0')).toContain('DeadLetters');
      expect(textAt(target, 'RoleArn.Fn::GetAtt.0')).toContain('WebhooksRole');
    }
  });

  test('has at most five targets a rule, which is all that EventBridge takes', () => {
    for (const rule of rules()) expect(targetsOf(rule).length).toBeLessThanOrEqual(5);
  });

  test.each(['ALARM', 'OK'])('sends a page that is %s to the chat, and no warning that is over', (value) => {
    const before = value === 'ALARM' ? 'OK' : 'ALARM';
    const sent = (name: string, description: string) => bodies(alarmEvent({ name, description, value, before }));

    expect(sent('gateway-autopilot-prod-GateClosed', '[page] The gate is closed.').length).toBe(3);
    expect(sent('gateway-autopilot-prod-RunIdsLow', '[warn] Few ids.').length).toBe(value === 'ALARM' ? 3 : 0);
    expect(sent('gateway-autopilot-dev-GateClosed', '[page] Another stage.')).toEqual([]);
    expect(JSON.stringify(sent('gateway-autopilot-prod-GateClosed', '[page] x'))).toContain(
      value === 'ALARM' ? 'gateway-autopilot-prod-GateClosed rings.' : 'gateway-autopilot-prod-GateClosed is over.',
    );
  });

  test('does not ring when an alarm gets its first data', () => {
    const first = { name: 'gateway-autopilot-prod-GateClosed', description: '[page] x', value: 'OK' };

    expect(bodies(alarmEvent({ ...first, before: 'INSUFFICIENT_DATA' }))).toEqual([]);
  });

  test('puts no other words into a chat than our own, whatever a key or a run is called', () => {
    const foreign = 'x", "blocks": [] }';
    const parked = { reason: 'CHECK_FAILED', action: 'start', campaignRunId: 'r', nextStep: 'look', run: foreign };
    const event = {
      source: 'gateway-autopilot',
      'detail-type': 'WorkParked',
      detail: { ...parked, subject: foreign, commandId: foreign, detail: foreign },
    };
    const [slack, teams, json] = bodies(event);

    expect([slack, teams].map((body) => JSON.stringify(body).includes('blocks\\'))).toEqual([false, false]);
    expect(slack).toMatchObject({ text: 'Gateway Autopilot, stage prod.' });
    expect(json).toEqual(event);
  });

  /** What each webhook gets of an event, read back as JSON. */
  function bodies(event: object): unknown[] {
    return deliveriesOf(stage, event)
      .filter(({ target }) => destinationOf(target) !== '')
      .map(({ text }): unknown => JSON.parse(text));
  }
});

test('a stage without webhooks has nothing of them', async () => {
  const { workers } = await synthesize(configurations.example);

  expect(Object.keys(workers.resources).filter((id) => id.startsWith('Webhooks'))).toEqual([]);
});

/** The logical id of an API destination; empty for other targets. */
function destinationOf(target: Json): string {
  return textAt(target, 'Arn.Fn::GetAtt.0');
}

function targetsOf(rule: Json): Json[] {
  return listOf(at(rule, 'Targets'));
}

/**
 * The documented form ("Alarm events and EventBridge", CloudWatch User Guide), with the fields that
 * rules read.
 */
function alarmEvent(alarm: {
  readonly name: string;
  readonly description: string;
  readonly value: string;
  readonly before: string;
}) {
  return {
    source: 'aws.cloudwatch',
    'detail-type': 'CloudWatch Alarm State Change',
    detail: {
      alarmName: alarm.name,
      configuration: { description: `${alarm.description}\n\ndocs/runbook.md` },
      previousState: { value: alarm.before },
      state: { value: alarm.value, reason: 'Threshold Crossed: 1 datapoint [1.0] was "greater"' },
    },
  };
}

// "Amazon EventBridge input transformation" (EventBridge User Guide): what a field holds is not
// escaped.
test.each(Object.entries(parkReasons))(
  'the next step of %s breaks no body that it is put into',
  (code, { nextStep }) => {
    expect([code, nextStep].join(' ')).not.toMatch(/["\\\p{Cc}]/u);
  },
);
