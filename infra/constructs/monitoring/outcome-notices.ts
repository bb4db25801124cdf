import { CfnRule, CfnArchive, EventBus } from 'aws-cdk-lib/aws-events';
import { type Grant, type IGrantable, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { NewsKind } from '#shared/config/automation.ts';
import { eventSource, type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import { grantActions } from '../grant-actions.ts';
import type { AlarmTopic } from './alarm-topic.ts';
import { dashboardName } from './stage-dashboard.ts';
import { consolePage, type Message, rulesOfThisAccount, type Webhooks } from './webhooks.ts';

/** An event that people get to read, and what they read. */
interface Notice {
  readonly id: string;
  readonly type: EventType;
  /** What its detail must look like. @default anything */
  readonly only?: Readonly<Record<string, unknown>>;
  /** Sent only if `notify.also` names it. @default sent in any case */
  readonly news?: NewsKind;
  /**
   * Lines of the message. `<field>` stands for a field of the detail, empty if there is none. `<STAGE>` is the stage, `<WAY>` what leads a
   * command to it. Only fields whose words are ours. The sender chooses a key, a run's
   * name or a command's id, and could write into the mail, or into a line to paste.
   */
  readonly lines: readonly string[];
}

/**
 * What names one thing; an alarm could only count. All parked work except uploads: a bad file of a
 * thousand rows would send a thousand messages, and `ParkedOpen` rings for them. A parked start
 * needs its own notice, because that alarm may be ringing already. No `detail` of parked work: it
 * may quote a file. And of its names only the run's uuid, since the others are other people's
 * words: the list has them.
 */
const notices: readonly Notice[] = [
  {
    id: 'Parked',
    type: eventTypes.workParked,
    // Uploads alone name their worker. Of messages that are none, one an hour is not quiet.
    only: { worker: [{ exists: false }], isQuiet: [{ exists: false }] },
    lines: [
      'Parked: <reason>. <action> <campaignRunId>',
      'Next step: <nextStep>',
      'npx --no -- autopilot parked list --code <reason> <WAY>',
      'npx --no -- autopilot runbook <reason>',
    ],
  },
  {
    id: 'StartUnconfirmed',
    type: eventTypes.campaignStartUnconfirmed,
    lines: [
      'A campaign does not show a start: <detail>.',
      'Look whether campaign run <campaignRunId> runs at the gateway. Its stop is planned all the same.',
    ],
  },
  {
    id: 'StartUnseen',
    type: eventTypes.campaignRunStartSkipped,
    only: { reason: ['UNCONFIRMED'] },
    lines: [
      'No answer came to a start, and nothing shows its run: <run> (<campaignRunId>).',
      'Look at the gateway whether it ran, then repeat or dismiss it:',
      'npx --no -- autopilot parked list <WAY>',
    ],
  },
  {
    id: 'Failed',
    type: eventTypes.campaignRunFailed,
    lines: [
      'Failed: <run> (<campaignRunId>), <inARow> in a row. It began at <startAt>.',
      'Repeat or dismiss it:',
      'npx --no -- autopilot parked list <WAY>',
      'npx --no -- autopilot runbook RunFailed',
    ],
  },
  {
    id: 'ScoreLow',
    type: eventTypes.campaignRunScoreLow,
    lines: [
      'Low score: <run> (<campaignRunId>) has <score>: <because>. It began at <startAt>.',
      'What changed before it:',
      'npx --no -- autopilot scores <run> <WAY>',
      'npx --no -- autopilot runbook ScoreLow',
    ],
  },
  {
    id: 'RunPoolNotFilled',
    type: eventTypes.runPoolNotFilled,
    lines: [
      'The gateway makes no runs for <run>, since <since>: <ready> of <keepReady> are ready.',
      'npx --no -- autopilot status <WAY>',
      'npx --no -- autopilot runbook RunPoolNotFilled',
    ],
  },
  {
    id: 'ScheduleSilent',
    type: eventTypes.scheduleSilent,
    lines: [
      'The schedule <schedule> starts nothing: <missed> without a start, the first at <since>. The run is <run>.',
      'Why: <reason>, <meaning>.',
      'Next step: <nextStep>',
      'npx --no -- autopilot runbook SchedulesSilent',
    ],
  },
  {
    id: 'StartsHeldBack',
    type: eventTypes.startsHeldBack,
    lines: [
      'Starts are blocked: <subject>, by <by> since <since>. <ends>',
      'Because: <because>',
      'Next step, once it is over: <nextStep>',
    ],
  },
  {
    id: 'EndedWithErrors',
    type: eventTypes.campaignRunEnded,
    only: { errors: [{ exists: true }] }, // one that failed has none: its alarm rings
    lines: [
      'Ended with errors in <errors> prompts: <run> (<campaignRunId>), <status>. It began at <startAt>.',
      'npx --no -- autopilot evidence <run> <WAY>',
    ],
  },
  {
    id: 'Started',
    type: eventTypes.campaignRunStarted,
    news: 'started',
    lines: ['Started: <run> (<campaignRunId>), due <due>. It counts as in flight until <endsAt>.'],
  },
  {
    id: 'Stopped',
    type: eventTypes.campaignRunStopped,
    news: 'stopped',
    lines: ['Stopped: run <campaignRunId>, at <at>.', 'npx --no -- autopilot history <WAY>'],
  },
  {
    id: 'Ended',
    type: eventTypes.campaignRunEnded,
    only: { errors: [{ exists: false }] },
    news: 'ended',
    lines: [
      'Ended: <run> (<campaignRunId>), <status>. It began at <startAt>.',
      'npx --no -- autopilot evidence <run> <WAY>',
    ],
  },
  {
    id: 'Registered',
    type: eventTypes.datasetRegistered,
    news: 'registered',
    lines: ['Registered: a dataset by the rule <rule>, at <at>.', 'npx --no -- autopilot uploads <WAY>'],
  },
  {
    id: 'LinkTested',
    type: eventTypes.linkTested,
    only: { link: ['notice'] }, // autopilot doctor --notice
    lines: ['autopilot doctor --notice sent this test <linkTest>. Nothing is wrong, and there is nothing to do.'],
  },
];

/** What the notices of a stage need. */
export interface OutcomeNoticesProps {
  readonly bus: OutcomeBus;
  readonly topic: AlarmTopic;
  readonly webhooks: Webhooks;
  /** Good news that people want too. */
  readonly also: readonly NewsKind[];
}

/**
 * Rules from the outcome bus to the people's topic and the webhooks. EventBridge tries for a day
 * and has no dead-letter queue here. The ledger holds the content of each message, so an
 * undelivered one is late news and no loss.
 */
export class OutcomeNotices extends Construct {
  constructor(scope: Construct, id: string, { bus, topic, webhooks, also }: OutcomeNoticesProps) {
    super(scope, id);
    const role = new Role(this, 'Role', {
      description: `lets the rules of Gateway Autopilot (${topic.stage}) tell people`,
      assumedBy: new ServicePrincipal('events.amazonaws.com', { conditions: rulesOfThisAccount(this) }),
    });
    grantActions(role, {
      actions: ['sns:Publish'],
      resourceArns: [topic.topicArn],
      why: 'what people must see of the outcome bus',
    });
    const dashboard = { title: 'Dashboard', url: consolePage(`dashboards/dashboard/${dashboardName(topic.stage)}`) };
    for (const notice of notices.filter(({ news }) => news === undefined || also.includes(news))) {
      const message = messageOf(notice, topic);
      const rule = new CfnRule(this, notice.id, {
        description: `tells people of ${notice.type} (Gateway Autopilot, ${topic.stage})`,
        eventBusName: bus.eventBusName,
        eventPattern: {
          source: [eventSource],
          'detail-type': [notice.type],
          detail: notice.only,
        },
        targets: [
          { id: 'People', arn: topic.topicArn, roleArn: role.roleArn, inputTransformer: mailOf(message) },
          ...webhooks.targets(message, dashboard),
        ],
      });
      Validations.of(rule).acknowledge({
        id: 'Serverless::Serverless-EventBusDLQ',
        reason:
          'EventBridge tries for a day; what the message tells stands in the ledger, so one that is lost is no lost work',
      });
    }
  }
}

/** The notice with the words of the stage in it. */
function messageOf({ lines }: Notice, { stage, way }: AlarmTopic): Message {
  const whole = ['Gateway Autopilot, stage <STAGE>.', ...lines].map((line) =>
    line.replaceAll('<STAGE>', stage).replaceAll('<WAY>', way),
  );
  const fields = new Set(whole.flatMap((line) => [...line.matchAll(/<(\w+)>/g)].map(([, field = '']) => field)));
  return { lines: whole, fields: Object.fromEntries([...fields].map((field) => [field, pathOf(field)])) };
}

/** Instants stand in an event as people read them, too. */
function pathOf(field: string): string {
  return `$.detail.${instants.has(field) ? 'times.' : ''}${field}`;
}

const instants = new Set(['at', 'due', 'endsAt', 'since', 'startAt']);

/**
 * Each line a JSON text of its own: what EventBridge takes for a message of several lines. The
 * quotes stay in the e-mail.
 */
function mailOf({ lines, fields }: Message): CfnRule.InputTransformerProperty {
  return { inputPathsMap: fields, inputTemplate: lines.map((line) => JSON.stringify(line)).join('\n') };
}

interface OutcomeBusProps {
  readonly stage: string;
  /** Bus and archive are kept when their stack goes. */
  readonly isProtected: boolean;
  /** @default no event is kept */
  readonly archiveDays?: number | undefined;
}

/** Carries what people or programs react to; each may put a rule on it. */
export class OutcomeBus extends Construct {
  readonly bus: EventBus;
  readonly eventBusName: string;

  constructor(scope: Construct, id: string, props: OutcomeBusProps) {
    super(scope, id);
    const { stage, isProtected, archiveDays } = props;
    const kept = isProtected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
    // Named, since rules of other teams refer to it.
    this.bus = new EventBus(this, 'Default', { eventBusName: `gateway-autopilot-${stage}` });
    this.bus.applyRemovalPolicy(kept);
    this.eventBusName = this.bus.eventBusName;
    if (archiveDays === undefined) return;
    const archive = new CfnArchive(this, 'Archive', { sourceArn: this.bus.eventBusArn, retentionDays: archiveDays });
    archive.applyRemovalPolicy(kept);
  }

  /** Puts events on this one bus. */
  grantPut(grantee: IGrantable): Grant {
    return grantActions(grantee, {
      actions: ['events:PutEvents'],
      resourceArns: [this.bus.eventBusArn],
      why: 'tells what people and programs react to, such as work that was parked',
    });
  }
}
