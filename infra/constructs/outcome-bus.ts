import { EventBus } from 'aws-cdk-lib/aws-events';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';

/** Carries what somebody reacts to; anybody may put a rule on it. */
export class OutcomeBus extends Construct {
  readonly eventBusName: string;
  private readonly eventBusArn: string;

  constructor(scope: Construct, id: string, props: { readonly stage: string; readonly isProtected: boolean }) {
    super(scope, id);
    // Named, since rules of other teams refer to it.
    const bus = new EventBus(this, 'Default', { eventBusName: `gateway-autopilot-${props.stage}` });
    bus.applyRemovalPolicy(props.isProtected ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY);
    this.eventBusName = bus.eventBusName;
    this.eventBusArn = bus.eventBusArn;
  }

  /** Puts events on this one bus. */
  grantPut(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({ grantee, actions: ['events:PutEvents'], resourceArns: [this.eventBusArn] });
  }
}
