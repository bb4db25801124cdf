import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule, CfnScheduleGroup, type CfnScheduleProps } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Aws, Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { ownScheduleNames, packageWatchScheduleName, projectWatchScheduleName } from '#shared/config/schema/names.ts';
import type { ResolvedAutomation, ResolvedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { parseScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { scheduledTime } from '#shared/schedule/scheduler-input.ts';
import { scheduleGroupName } from '#shared/vocabulary/stack-outputs.ts';
import { type Rings, twoOfThree } from '../monitoring/alarm-topic.ts';
import { grantActions } from '../grant-actions.ts';
import type { WorkerFunction } from './worker-function.ts';
import { grantSend } from '../worker-queue.ts';

/** Props of the schedules of a stage. */
export interface StageSchedulesProps {
  readonly automation: Pick<ResolvedAutomation, 'stage' | 'schedules' | 'packageWatches' | 'projectWatches'>;
  readonly commands: IQueue;
  /** Takes what Scheduler could not deliver for a day. */
  readonly deadLetters: IQueue;
  /** What schedules call. */
  readonly workers: Readonly<Record<'poll-scanner-packages' | 'watch-projects' | keyof typeof ticks, WorkerFunction>>;
}

/** What is called again and again, with any configuration. */
const ticks = {
  'reconcile-ledger': {
    description: 'finds uploads without a notification, and work that no worker finished',
    expression: 'rate(5 minutes)', // an upload is found 20 minutes after it was put, at the latest
  },
  'watch-campaigns': {
    description: 'sends stops and starts that are due, looks whether campaigns show their starts',
    expression: 'rate(1 minute)',
  },
} as const satisfies Readonly<Record<(typeof ownScheduleNames)[number], object>>;

/** The most that Scheduler takes: a command is tried for a day before it is a dead letter. */
const commandRetry = { maximumRetryAttempts: 185, maximumEventAgeInSeconds: 86_400 };

/** A watch is not retried: its next tick is the retry. */
const watchRetry = { maximumRetryAttempts: 0, maximumEventAgeInSeconds: 60 };

/**
 * A stage's schedules, in a group of their own. Commands go straight into their queue, so that a failing function never loses an occurrence;
 * watches call their function.
 */
export class StageSchedules extends Construct {
  readonly groupName: string;
  /** Scheduler sends commands under it. */
  readonly commandsRole: Role;
  private readonly group: CfnScheduleGroup;

  constructor(scope: Construct, id: string, props: StageSchedulesProps) {
    super(scope, id);
    const { stage, schedules, packageWatches, projectWatches } = props.automation;
    const { workers } = props;
    this.groupName = scheduleGroupName(stage);
    this.group = new CfnScheduleGroup(this, 'Group', { name: this.groupName });

    this.commandsRole = schedulerRole(this, 'CommandsRole', { stage, what: 'sends scheduled commands to their queue' });
    grantSend(props.commands, this.commandsRole, 'starts and stops, each at its time');
    grantSend(props.deadLetters, this.commandsRole, 'a command that could not be delivered for a day');
    const watchesRole = schedulerRole(this, 'WatchesRole', {
      stage,
      what: 'calls the functions that watch listings and projects',
    });
    const called = ['poll-scanner-packages', 'watch-projects', 'reconcile-ledger', 'watch-campaigns'] as const;
    grantActions(watchesRole, {
      actions: ['lambda:InvokeFunction'],
      resourceArns: called.map((name) => workers[name].function.functionArn),
      why: 'calls what looks again and again, each at its time',
    });

    for (const schedule of schedules) {
      this.add(`Command-${schedule.name}`, this.commandsRole, {
        name: schedule.name,
        description: `${schedule.action} ${schedule.run}`,
        scheduleExpression: schedule.expression,
        scheduleExpressionTimezone: schedule.timezone,
        startDate: schedule.startDate,
        state: schedule.enabled ? 'ENABLED' : 'DISABLED',
        target: {
          arn: props.commands.queueArn,
          input: scheduledCommandInput(schedule),
          retryPolicy: commandRetry,
          deadLetterConfig: { arn: props.deadLetters.queueArn },
        },
      });
    }
    const call = (name: (typeof called)[number], input: Readonly<Record<string, string>>) => ({
      arn: workers[name].function.functionArn,
      input: JSON.stringify(input),
      retryPolicy: watchRetry,
    });
    for (const { name, expression } of packageWatches) {
      this.add(`PackageWatch-${name}`, watchesRole, {
        name: packageWatchScheduleName(name),
        description: `walk of the scanner packages: ${name}`,
        scheduleExpression: expression,
        target: call('poll-scanner-packages', { watch: name }),
      });
    }
    for (const { name, project, expression } of projectWatches) {
      this.add(`ProjectWatch-${name}`, watchesRole, {
        name: projectWatchScheduleName(name),
        description: `look at the configuration of the project ${project}`,
        scheduleExpression: expression,
        target: call('watch-projects', { watch: name }),
      });
    }
    // Not the empty event: that would be a smoke test.
    for (const name of ownScheduleNames) {
      const { description, expression: scheduleExpression } = ticks[name];
      const target = call(name, { tick: name });
      this.add(`Tick-${name}`, watchesRole, { name, description, scheduleExpression, target });
    }
  }

  private add(
    id: string,
    role: Role,
    {
      target,
      ...props
    }: Omit<CfnScheduleProps, 'target' | 'flexibleTimeWindow'> & {
      readonly target: Omit<CfnSchedule.TargetProperty, 'roleArn'>;
    },
  ): void {
    const resource = new CfnSchedule(this, id, {
      groupName: this.groupName,
      state: 'ENABLED',
      flexibleTimeWindow: { mode: 'OFF' }, // a start or a stop is wanted at its time
      target: { ...target, roleArn: role.roleArn },
      ...props,
    });
    resource.node.addDependency(role);
    resource.addResourceDependency(this.group);
  }
}

/** A role that Scheduler takes on for the schedules of this stage's group only. */
export function schedulerRole(
  scope: Construct,
  id: string,
  { stage, what }: { readonly stage: string; readonly what: string },
): Role {
  const groupArn = Stack.of(scope).formatArn({
    service: 'scheduler',
    resource: 'schedule-group',
    resourceName: scheduleGroupName(stage),
  });
  return new Role(scope, id, {
    description: `EventBridge Scheduler ${what} (Gateway Autopilot, ${stage})`,
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID }, ArnEquals: { 'aws:SourceArn': groupArn } },
    }),
  });
}

/** The command that a schedule sends, as the target's input: the id is stable for one occurrence, however often it is delivered. */
export function scheduledCommandInput(schedule: ResolvedSchedule): string {
  const command: CampaignRunCommand = {
    version: 1,
    id: commandIds.schedule(schedule.name, scheduledTime),
    action: schedule.action,
    run: schedule.run,
    issuedAt: scheduledTime,
    validFor: schedule.validFor,
    startDelay: schedule.startDelay,
    origin: { kind: 'schedule', name: schedule.name },
  };
  return JSON.stringify(command);
}

const dayMinutes = 1440;

/** The least that says more than noise: metrics of Lambda come once a minute, ticks up to a minute late. */
const leastMinutes = 5;

/** CloudWatch looks back seven days at most, and a day if a period is shorter than an hour. */
const longestLookBackDays = 7;

/** How alarms look at a function that is called again and again. */
export interface TickWatch {
  readonly period: Duration;
  /** Failed ticks: the next one is the retry of one that failed, so two are news. */
  readonly failures: Rings;
  /** Ticks that did not come; absent if they are too rare for CloudWatch to miss. */
  readonly silence?: Rings;
}

/** The watch of a function that is called `every` so often. */
export function tickWatch(every: Duration): TickWatch {
  const minutes = every.toMinutes();
  const periodMinutes = Math.min(dayMinutes, Math.max(leastMinutes, Math.ceil(minutes)));
  const missed = Math.ceil((2 * Math.max(minutes, leastMinutes)) / periodMinutes);
  const isTooRare = missed * periodMinutes > longestLookBackDays * dayMinutes;
  return {
    period: Duration.minutes(periodMinutes),
    failures: minutes > dayMinutes ? {} : twoOfThree,
    silence: isTooRare ? undefined : { of: missed },
  };
}

/** The shortest of the periods of several `rate(…)` schedules; undefined if there is none. */
export function shortestOf(schedules: readonly { readonly expression: string }[]): Duration | undefined {
  const periods = schedules.flatMap(({ expression }) => {
    const parsed = parseScheduleExpression(expression);
    return parsed.ok && parsed.value.kind === 'rate' ? [parsed.value.periodMs] : [];
  });
  return periods.length === 0 ? undefined : Duration.millis(Math.min(...periods));
}
