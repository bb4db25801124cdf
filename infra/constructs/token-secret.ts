import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';

/** What the secret needs to be told. */
export interface TokenSecretProps {
  readonly stage: string;
  /** Kept when its stack goes. */
  readonly isProtected: boolean;
}

/**
 * The gateway's token, made without a value: a generated one would be sent to the gateway as if it were a token. Until a person puts the
 * token in, the workers say NO_TOKEN.
 */
export class TokenSecret extends Construct {
  readonly secretArn: string;

  constructor(scope: Construct, id: string, props: TokenSecretProps) {
    super(scope, id);
    const secret = new CfnSecret(this, 'Default', {
      description: `Bearer token of the security gateway, for Gateway Autopilot (${props.stage})`,
    });
    secret.applyRemovalPolicy(props.isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY);
    this.secretArn = secret.ref;
  }

  /** Reads the value of this one secret. */
  grantRead(grantee: IGrantable): Grant {
    return Grant.addToPrincipal({
      grantee,
      actions: ['secretsmanager:GetSecretValue'],
      resourceArns: [this.secretArn],
    });
  }
}
