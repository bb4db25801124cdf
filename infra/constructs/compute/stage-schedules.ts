import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Arn, ArnFormat, Aws, Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type ownScheduleNames, packageWatchScheduleName, projectWatchScheduleName } from '#shared/config/names.ts';
import type {
  ResolvedAutomation,
  ResolvedPackageWatch,
  ResolvedProjectWatch,
  ResolvedSchedule,
} from '#shared/config/resolve/resolved-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { parseScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { scheduleGroupName } from '#shared/vocabulary/stack-outputs.ts';
import { oneIsEnough, type Periods, twoOfThree } from '../monitoring/runbook-alarm.ts';
import { grantActions } from './grant-actions.ts';
import { grantSend } from './worker-queue.ts';

/** Props of the schedules of a stage. */
export interface StageSchedulesProps {
  readonly automation: Pick<ResolvedAutomation, 'stage' | 'schedules' | 'packageWatches' | 'projectWatches'>;
  readonly commands: IQueue;
  /** Takes what Scheduler could not deliver for a day. */
  readonly deadLetters: IQueue;
  readonly pollScannerPackages: LambdaFunction;
  readonly watchProjects: LambdaFunction;
  readonly ticks: readonly FixedTick[];
}

/** A function that is called again and again, with any configuration. */
export interface FixedTick {
  readonly name: (typeof ownScheduleNames)[number];
  readonly description: string;
  /** `rate(…)`. */
  readonly expression: string;
  readonly function: LambdaFunction;
}

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
  private readonly props: StageSchedulesProps;

  constructor(scope: Construct, id: string, props: StageSchedulesProps) {
    super(scope, id);
    this.props = props;
    const { stage, schedules, packageWatches, projectWatches } = props.automation;
    this.groupName = scheduleGroupName(stage);
    const group = new CfnScheduleGroup(this, 'Group', { name: this.groupName });

    const commandsRole = (this.commandsRole = this.roleFor('CommandsRole', 'sends scheduled commands to their queue'));
    grantSend(props.commands, commandsRole, 'starts and stops, each at its time');
    grantSend(props.deadLetters, commandsRole, 'a command that could not be delivered for a day');
    const watchesRole = this.roleFor('WatchesRole', 'calls the functions that watch listings and projects');
    grantActions(watchesRole, {
      actions: ['lambda:InvokeFunction'],
      resourceArns: [props.pollScannerPackages, props.watchProjects, ...props.ticks.map((tick) => tick.function)].map(
        (one) => one.functionArn,
      ),
      why: 'calls what looks again and again, each at its time',
    });

    for (const schedule of schedules) this.addCommand(schedule, commandsRole).addResourceDependency(group);
    for (const watch of packageWatches) this.addPackageWatch(watch, watchesRole).addResourceDependency(group);
    for (const watch of projectWatches) this.addProjectWatch(watch, watchesRole).addResourceDependency(group);
    for (const tick of props.ticks) this.addTick(tick, watchesRole).addResourceDependency(group);
  }

  private addCommand(schedule: ResolvedSchedule, role: Role): CfnSchedule {
    const { commands, deadLetters } = this.props;
    const resource = new CfnSchedule(this, `Command-${schedule.name}`, {
      name: schedule.name,
      groupName: this.groupName,
      description: `${schedule.action} ${schedule.run}`,
      scheduleExpression: schedule.expression,
      scheduleExpressionTimezone: schedule.timezone,
      startDate: schedule.startDate,
      state: schedule.enabled ? 'ENABLED' : 'DISABLED',
      flexibleTimeWindow: { mode: 'OFF' }, // a start or a stop is wanted at its time
      target: {
        arn: commands.queueArn,
        roleArn: role.roleArn,
        input: scheduledCommandInput(schedule),
        retryPolicy: commandRetry,
        deadLetterConfig: { arn: deadLetters.queueArn },
      },
    });
    resource.node.addDependency(role);
    return resource;
  }

  private addPackageWatch(watch: ResolvedPackageWatch, role: Role): CfnSchedule {
    return this.addCall(`PackageWatch-${watch.name}`, role, {
      name: packageWatchScheduleName(watch.name),
      description: `walk of the scanner packages: ${watch.name}`,
      expression: watch.expression,
      function: this.props.pollScannerPackages,
      input: { watch: watch.name },
    });
  }

  private addProjectWatch(watch: ResolvedProjectWatch, role: Role): CfnSchedule {
    return this.addCall(`ProjectWatch-${watch.name}`, role, {
      name: projectWatchScheduleName(watch.name),
      description: `look at the configuration of the project ${watch.project}`,
      expression: watch.expression,
      function: this.props.watchProjects,
      input: { watch: watch.name },
    });
  }

  /** Not the empty event: that would be a smoke test. */
  private addTick(tick: FixedTick, role: Role): CfnSchedule {
    return this.addCall(`Tick-${tick.name}`, role, { ...tick, input: { tick: tick.name } });
  }

  private addCall(
    id: string,
    role: Role,
    call: Omit<FixedTick, 'name'> & { readonly name: string; readonly input: Readonly<Record<string, string>> },
  ): CfnSchedule {
    const resource = new CfnSchedule(this, id, {
      name: call.name,
      groupName: this.groupName,
      description: call.description,
      scheduleExpression: call.expression,
      state: 'ENABLED',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: call.function.functionArn,
        roleArn: role.roleArn,
        input: JSON.stringify(call.input),
        retryPolicy: watchRetry,
      },
    });
    resource.node.addDependency(role);
    return resource;
  }

  /** A role that Scheduler takes on for the schedules of this group only. */
  private roleFor(id: string, what: string): Role {
    const groupArn = Arn.format(
      {
        service: 'scheduler',
        resource: 'schedule-group',
        resourceName: this.groupName,
        arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
      },
      Stack.of(this),
    );
    return new Role(this, id, {
      description: `EventBridge Scheduler ${what} (Gateway Autopilot, ${this.props.automation.stage})`,
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID }, ArnEquals: { 'aws:SourceArn': groupArn } },
      }),
    });
  }
}

/** Scheduler puts the instant for which an occurrence was planned in its place, whenever it is delivered. */
const scheduledTime = '<aws.scheduler.scheduled-time>';

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
  readonly failures: Periods;
  /** Ticks that did not come; absent if they are too rare for CloudWatch to miss. */
  readonly silence?: Periods;
}

/** The watch of a function that is called `every` so often. */
export function tickWatch(every: Duration): TickWatch {
  const minutes = every.toMinutes();
  const periodMinutes = Math.min(dayMinutes, Math.max(leastMinutes, Math.ceil(minutes)));
  const missed = Math.ceil((2 * Math.max(minutes, leastMinutes)) / periodMinutes);
  const isTooRare = missed * periodMinutes > longestLookBackDays * dayMinutes;
  return {
    period: Duration.minutes(periodMinutes),
    failures: minutes > dayMinutes ? oneIsEnough : twoOfThree,
    silence: isTooRare ? undefined : { of: missed, breaching: missed },
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
