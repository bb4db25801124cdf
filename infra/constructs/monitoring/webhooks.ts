import { CfnApiDestination, CfnConnection, CfnRule } from 'aws-cdk-lib/aws-events';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Aws, SecretValue, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { alarmPrefix } from './alarm-names.ts';
import { grantActions, letService } from '../grant-actions.ts';
import { queueRetention } from '../worker-queue.ts';
import { type AlarmTopic, fiveMinutes } from './alarm-topic.ts';

type Webhook = ResolvedAutomation['notify']['webhooks'][number];

/** What the webhooks of a stage need. */
export interface WebhooksProps {
  readonly topic: AlarmTopic;
  readonly webhooks: readonly Webhook[];
}

/**
 * Sends notices and alarms to chats and other receivers, each by an API destination. EventBridge
 * tries for a day; what it gives up lies in a dead-letter queue of its own. A stage without
 * webhooks has none of this.
 */
export class Webhooks extends Construct {
  private readonly stage: string;
  private readonly destinations: readonly { readonly webhook: Webhook; readonly arn: string }[];
  private readonly delivery: { readonly role: Role; readonly deadLetters: Queue } | undefined;

  constructor(scope: Construct, id: string, { topic, webhooks }: WebhooksProps) {
    super(scope, id);
    this.stage = topic.stage;
    this.destinations = webhooks.map((webhook) => ({ webhook, arn: this.addDestination(webhook) }));
    if (webhooks.length === 0) return;
    this.delivery = { role: this.addRole(), deadLetters: this.addDeadLetters(topic) };
    this.addAlarmRules();
  }

  /** The targets of a rule that matches what `message` is made of, one for each webhook. */
  targets(message: Message, link: MessageLink): CfnRule.TargetProperty[] {
    const { delivery } = this;
    if (delivery === undefined) return [];
    return this.destinations.map(({ webhook, arn }) => ({
      id: `Webhook-${webhook.name}`,
      arn,
      roleArn: delivery.role.roleArn,
      deadLetterConfig: { arn: delivery.deadLetters.queueArn },
      inputTransformer: webhook.kind === 'json' ? undefined : chatPayload(webhook.kind, message, link),
    }));
  }

  /**
   * The address and the key are dynamic references: CloudFormation reads the secret, and no
   * template holds its value. A role that may call `events:DescribeApiDestination` reads the
   * address all the same.
   */
  private addDestination({ name, kind, secret }: Webhook): string {
    const field = (jsonField: string) => SecretValue.secretsManager(secret, { jsonField }).unsafeUnwrap();
    const connection = new CfnConnection(this, `Connection-${name}`, {
      description: `key of the webhook ${name} (Gateway Autopilot, ${this.stage})`,
      authorizationType: 'API_KEY',
      authParameters: {
        // A connection has an authorization even if the receiver reads none, as chats do: their
        // address is the secret.
        apiKeyAuthParameters: { apiKeyName: 'x-api-key', apiKeyValue: kind === 'json' ? field('key') : 'none' },
      },
    });
    const destination = new CfnApiDestination(this, `Destination-${name}`, {
      description: `webhook ${name} (Gateway Autopilot, ${this.stage})`,
      connectionArn: connection.attrArn,
      httpMethod: 'POST',
      invocationEndpoint: field('url'),
      invocationRateLimitPerSecond: 1, // what Slack takes of one webhook ("Rate limits", Slack)
    });
    return destination.attrArn;
  }

  private addRole(): Role {
    const role = new Role(this, 'Role', {
      description: `lets the rules of Gateway Autopilot (${this.stage}) call its webhooks`,
      assumedBy: new ServicePrincipal('events.amazonaws.com', { conditions: rulesOfThisAccount(this) }),
    });
    grantActions(role, {
      actions: ['events:InvokeApiDestination'],
      resourceArns: this.destinations.map(({ arn }) => arn),
      why: 'sends notices and alarms to the webhooks of `notify.webhooks`',
    });
    return role;
  }

  private addDeadLetters(topic: AlarmTopic): Queue {
    const queue = new Queue(this, 'DeadLetters', {
      retentionPeriod: queueRetention,
      encryption: QueueEncryption.SQS_MANAGED, // a notice holds our own words; a customer's key would have to let EventBridge in
      redriveAllowPolicy: { redrivePermission: RedrivePermission.DENY_ALL },
      enforceSSL: true,
    });
    queue.addToResourcePolicy(
      letService(queue, 'events.amazonaws.com', {
        sid: 'NoticesThatNoWebhookTook',
        actions: ['sqs:SendMessage'],
        resourceArns: [queue.queueArn],
        why: 'leaves what no webhook took within a day',
        conditions: rulesOfThisAccount(this),
      }),
    );
    const reason = 'it is the dead-letter queue of rules; a message in it rings, and a person reads it';
    Validations.of(queue).acknowledge(
      { id: 'Serverless::Serverless-SQSRedrivePolicy', reason },
      { id: 'AwsSolutions::AwsSolutions-SQS3', reason },
    );
    const lost = queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: fiveMinutes });
    topic.ring(this, 'WebhooksUndelivered', lost);
    return queue;
  }

  /**
   * CloudWatch puts each change of an alarm's state on the default bus ("Alarm events and
   * EventBridge", CloudWatch User Guide). That an alarm is over is sent only for those that page,
   * as by e-mail.
   */
  private addAlarmRules(): void {
    const fields = { alarmName: '$.detail.alarmName' };
    const changes = [
      { id: 'AlarmRings', words: '<alarmName> rings.', only: { state: { value: ['ALARM'] } } },
      {
        id: 'AlarmIsOver',
        words: '<alarmName> is over.',
        only: {
          state: { value: ['OK'] },
          previousState: { value: ['ALARM'] },
          configuration: { description: [{ prefix: '[page]' }] },
        },
      },
    ];
    for (const { id, words, only } of changes) {
      new CfnRule(this, id, {
        description: `sends alarms to webhooks (Gateway Autopilot, ${this.stage})`,
        eventPattern: {
          source: ['aws.cloudwatch'],
          'detail-type': ['CloudWatch Alarm State Change'],
          detail: { alarmName: [{ prefix: alarmPrefix(this.stage) }], ...only },
        },
        targets: this.targets(
          { lines: [words, 'What to do:', 'npx --no -- autopilot runbook <alarmName>'], fields },
          { title: 'Alarm', url: consolePage('alarmsV2:alarm/<alarmName>') },
        ),
      });
    }
  }
}

/** The condition under which EventBridge is let in: for a rule of this account and region. */
export function rulesOfThisAccount(scope: Construct): Record<string, Record<string, string>> {
  const rules = Stack.of(scope).formatArn({ service: 'events', resource: 'rule', resourceName: '*' });
  return { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID }, ArnLike: { 'aws:SourceArn': rules } };
}

/** A page of CloudWatch's console; `fragment` is what stands behind the `#`. */
export function consolePage(fragment: string): string {
  return `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#${fragment}`;
}

/**
 * What people read, by e-mail or in a chat. `<field>` stands for a field of the event; each such
 * field must hold our own words only.
 */
export interface Message {
  readonly lines: readonly string[];
  /** JSON path of each field, such as `$.detail.reason`. */
  readonly fields: Readonly<Record<string, string>>;
}

/** The target of a message: a page for people, with the words that name it. */
export interface MessageLink {
  readonly title: string;
  readonly url: string;
}

/** Kinds of chat that get words; `json` gets the event itself. */
type ChatKind = 'slack' | 'teams';

/**
 * Makes the request's body for a chat. EventBridge puts the values of fields into it without
 * escaping them, so a quote in a field would break the body ("Input transformation", EventBridge
 * User Guide: reserved JSON characters).
 */
function chatPayload(kind: ChatKind, message: Message, link: MessageLink): CfnRule.InputTransformerProperty {
  const body = kind === 'slack' ? slackBody(message, link) : teamsBody(message, link);
  return { inputPathsMap: message.fields, inputTemplate: JSON.stringify(body) };
}

/**
 * Slack shows the blocks, and `text` in its notifications (Slack, "Sending messages using incoming
 * webhooks"). The address stands bare, since Slack's own form of a link begins with `<`, which
 * EventBridge reads as the name of a field.
 */
export function slackBody({ lines: [title = '', ...lines] }: Message, link: MessageLink) {
  const words = [`*${title}*`, ...lines, `${link.title}: ${link.url}`].join('\n');
  return { text: title, blocks: [{ type: 'section' as const, text: { type: 'mrkdwn' as const, text: words } }] };
}

/**
 * An Adaptive Card in the envelope that a workflow of Teams takes ("Create Incoming Webhooks",
 * Microsoft Learn).
 */
export function teamsBody({ lines: [title = '', ...lines] }: Message, link: MessageLink) {
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard' as const,
          version: '1.4' as const, // the newest that every client of Teams shows
          body: [{ ...textBlock(title), weight: 'Bolder' as const }, ...lines.map(textBlock)],
          actions: [{ type: 'Action.OpenUrl' as const, title: link.title, url: link.url }],
        },
      },
    ],
  };
}

function textBlock(text: string) {
  return { type: 'TextBlock' as const, text, wrap: true };
}
