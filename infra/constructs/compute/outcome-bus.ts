import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { grantActions } from './grant-actions.ts';

/** Carries what somebody reacts to; anybody may put a rule on it. */
export class OutcomeBus extends Construct {
  readonly bus: EventBus;
  readonly eventBusName: string;

  constructor(scope: Construct, id: string, props: { readonly stage: string; readonly isProtected: boolean }) {
    super(scope, id);
    // Named, since rules of other teams refer to it.
    this.bus = new EventBus(this, 'Default', { eventBusName: `gateway-autopilot-${props.stage}` });
    this.bus.applyRemovalPolicy(props.isProtected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY);
    this.eventBusName = this.bus.eventBusName;
  }

  /** Puts events on this one bus. */
  grantPut(grantee: IGrantable): Grant {
    return grantActions(grantee, {
      actions: ['events:PutEvents'],
      resourceArns: [this.bus.eventBusArn],
      why: 'tells what somebody reacts to, such as work that was parked',
    });
  }
}
