import { createDynamoDbClient, createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import type { ownScheduleNames } from '#shared/config/schema/names.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { listOpenOfKind, readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { AccessKey } from '#shared/net/request-signature.ts';
import type { FrontDoor } from './front-door.ts';
import { textAttributes } from '../aws/sqs/messages.ts';
import type { Authority } from '../aws/iam/authority.ts';
import type { FunctionHost } from '../lambda/function-host.ts';
import type { LocalSchedule } from '../schedules/local-schedule.ts';
import type { DueWork } from '../schedules/schedule-delivery.ts';
import type { SchedulesOptions } from '../schedules/start-schedules.ts';
import { type ResolvedAssembly, resourcesOfType } from '../template/cloud-assembly.ts';

/** What delivering a schedule touches. */
interface Surroundings {
  readonly assembly: ResolvedAssembly;
  readonly authority: Authority;
  readonly frontDoor: FrontDoor;
  readonly host: FunctionHost;
}

/**
 * Delivers as EventBridge Scheduler does: under the schedule's execution role, which must trust the
 * service for this group and account.
 */
export function scheduleDeliveryPorts(surroundings: Surroundings): Pick<SchedulesOptions, 'deliver' | 'deadLetter'> {
  const { authority, frontDoor, host } = surroundings;

  return {
    async deliver(schedule, occurrence) {
      const caller = assumeRole(schedule, surroundings);
      const { Arn: arn } = schedule.Target;
      if (arn.split(':')[2] === 'sqs') {
        frontDoor.sendMessageAs(caller, arn, { body: occurrence.input });
        return;
      }
      const decision = authority.authorize({ caller, action: 'lambda:InvokeFunction', resource: arn });
      if (!decision.allowed) throw new Error(decision.message);
      host.invokeEvent(arn.split(':').at(-1) ?? '', occurrence.input);
    },
    async deadLetter(schedule, letter) {
      const queueArn = schedule.Target.DeadLetterConfig?.Arn;
      if (queueArn === undefined) return;
      const message = { body: letter.body, attributes: textAttributes(letter.attributes) };
      frontDoor.sendMessageAs(assumeRole(schedule, surroundings), queueArn, message);
    },
  };
}

function assumeRole(schedule: LocalSchedule, { assembly, authority }: Surroundings) {
  const { RoleArn: roleArn } = schedule.Target;
  const { region, accountId } = assembly;
  const context = {
    'aws:SourceAccount': accountId,
    'aws:SourceArn': `arn:aws:scheduler:${region}:${accountId}:schedule-group/${schedule.GroupName}`,
  };
  if (!authority.canAssume(roleArn, 'scheduler.amazonaws.com', context)) {
    throw new Error(`scheduler.amazonaws.com may not assume ${roleArn} for ${schedule.arn}`);
  }
  return authority.roleCaller(roleArn, schedule.Name);
}

/** Who sends what is due, looks for it every minute. */
const watcher: (typeof ownScheduleNames)[number] = 'watch-campaigns';

/** What the stage's own ledgers know to fall due, read as an operator of the stage would. */
export interface LedgerDueWork extends DueWork {
  readonly close: () => void;
}

/**
 * Opens the ledgers of both modes of a stage whose front door answers. A template without a table has nothing to
 * come.
 */
export function openLedgerDueWork(assembly: ResolvedAssembly, credentials: AccessKey): LedgerDueWork | undefined {
  const tables = resourcesOfType(assembly, 'AWS::DynamoDB::Table');
  if (tables.length === 0) return undefined;
  const client = createDynamoDbClient({ endpoint: assembly.endpoint, region: assembly.region, credentials });
  const ledgers = tables.map(({ physicalId }) => createDynamoDbLedger({ client, tableName: physicalId }));
  const instants = async () => (await Promise.all(ledgers.map(dueInstants))).flat();
  return { watcher, instants, close: () => client.destroy() };
}

/** After the `due` of a start: its campaign shows it; its sign is missing, by the default of `confirmWithin`. */
const looksMs = [2 * 60_000, 32 * 60_000];

/** A run that ended before its stop is read before that, as it is without a move. */
const beforeStopMs = 2 * 60_000;

/** When runs in flight end, deferred starts may go out, and runs and the campaigns of starts are looked at. */
export async function dueInstants(ledger: Pick<Ledger, 'listOpen'>): Promise<readonly Date[]> {
  const runs = await readRunsInFlight(ledger);
  const deferredStarts = await listOpenOfKind(ledger, 'DEFERRED', 'command');
  const looks = runs.flatMap(({ entry: { due, endsAt } }) => [
    ...looksMs.map((ms) => new Date(Date.parse(due) + ms)),
    new Date(Date.parse(endsAt) - beforeStopMs),
  ]);
  const ends = [...runs.map(({ entry }) => entry.endsAt), ...deferredStarts.map(({ deferred }) => deferred?.until)];
  return [...looks, ...ends.filter((at) => at !== undefined).map((at) => new Date(at))];
}
