/** What the services of one stage share, and how one of them reaches another. */
import type { ResolvedAssembly } from '../../template/cloud-assembly.ts';
import type { Authority, Caller } from '../iam/authority.ts';
import type { RequestContext } from '../iam/conditions.ts';
import type { MadeResources } from '../open-database.ts';

/** What the services of one stage share. */
export interface AwsStage {
  readonly assembly: ResolvedAssembly;
  readonly authority: Authority;
  readonly made: MadeResources;
  /** The local clock, which may be moved. */
  readonly now: () => number;
  readonly log: (line: string) => void;
  /** Throws if there is no such queue. */
  readonly sendToQueue: (queueArn: string, body: string) => void;
  /**
   * Hears of deliveries by S3, SNS or EventBridge that a policy refused: on AWS those are lost
   * without a word.
   */
  readonly onDeliveryRefused: (refused: RefusedDelivery) => void;
}

/** A delivery that a policy refused, or whose target is not there. */
export interface RefusedDelivery {
  /** For instance `s3.amazonaws.com`. */
  readonly from: string;
  readonly source: string;
  readonly target: string;
  readonly message: string;
}

/** A delivery of one service to a resource. */
interface Delivery extends Omit<RefusedDelivery, 'message'> {
  /** What the target must allow. @default sqs:SendMessage */
  readonly action?: string;
  /** Its source and more, as policies ask for it. */
  readonly context: RequestContext;
  /** The role that the service takes on. @default it delivers in its own name */
  readonly roleArn?: string | undefined;
}

/** Does a delivery, if the policies let the service. */
export function deliver(stage: AwsStage, delivery: Delivery, send: () => void): void {
  const { from, source, target, action = 'sqs:SendMessage', context } = delivery;
  try {
    const caller = callerOf(delivery, stage);
    const decision = stage.authority.authorize({ caller, action, resource: target, context });
    if (!decision.allowed) throw new Error(decision.message);
    send();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    stage.onDeliveryRefused({ from, source, target, message });
  }
}

function callerOf({ from, roleArn, context }: Delivery, { authority }: AwsStage): Caller {
  if (roleArn === undefined) return { kind: 'service', service: from };
  if (!authority.canAssume(roleArn, from, context)) throw new Error(`${from} may not assume ${roleArn}`);
  return authority.roleCaller(roleArn, from.split('.')[0] ?? from);
}
