import type { FrontDoor } from '../aws/front-door.ts';
import { textAttributes } from '../aws/sqs/message-operations.ts';
import type { Authority } from '../iam/authority.ts';
import type { FunctionHost } from '../lambda/function-host.ts';
import type { LocalSchedule } from '../schedules/local-schedule.ts';
import type { SchedulesOptions } from '../schedules/start-schedules.ts';
import type { ResolvedAssembly } from '../template/assembly.ts';

/** What delivering a schedule touches. */
interface Surroundings {
  readonly assembly: ResolvedAssembly;
  readonly authority: Authority;
  readonly frontDoor: FrontDoor;
  readonly host: FunctionHost;
}

/** Delivers as EventBridge Scheduler does: under the schedule's execution role, which must trust the service for this group and account. */
export function scheduleDeliveryPorts(surroundings: Surroundings): Pick<SchedulesOptions, 'deliver' | 'deadLetter'> {
  const { authority, frontDoor, host } = surroundings;

  return {
    async deliver(schedule, occurrence) {
      const caller = assumeRole(schedule, surroundings);
      const { arn } = schedule.target;
      if (arn.split(':')[2] === 'sqs') {
        frontDoor.sendMessageAs(caller, arn, { body: occurrence.input });
        return;
      }
      const decision = authority.authorize({ caller, action: 'lambda:InvokeFunction', resource: arn });
      if (!decision.allowed) throw new Error(decision.message);
      host.invokeEvent(arn.split(':').at(-1) ?? '', occurrence.input);
    },
    async deadLetter(schedule, letter) {
      const queueArn = schedule.target.deadLetterArn;
      if (queueArn === undefined) return;
      const message = { body: letter.body, attributes: textAttributes(letter.attributes) };
      frontDoor.sendMessageAs(assumeRole(schedule, surroundings), queueArn, message);
    },
  };
}

function assumeRole(schedule: LocalSchedule, { assembly, authority }: Surroundings) {
  const { roleArn } = schedule.target;
  const { region, accountId } = assembly;
  const context = {
    'aws:SourceAccount': accountId,
    'aws:SourceArn': `arn:aws:scheduler:${region}:${accountId}:schedule-group/${schedule.groupName}`,
  };
  if (!authority.canAssume(roleArn, 'scheduler.amazonaws.com', context)) {
    throw new Error(`scheduler.amazonaws.com may not assume ${roleArn} for ${schedule.arn}`);
  }
  return authority.roleCaller(roleArn, schedule.name);
}
