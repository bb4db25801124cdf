import {
  AnyPrincipal,
  Effect,
  type Grant,
  type IGrantable,
  PolicyDocument,
  PolicyStatement,
} from 'aws-cdk-lib/aws-iam';
import { CfnResourcePolicy, CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { Aws, RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type EncryptionKey, grantKeyUse, type StateProps } from '../encryption-key.ts';
import { grantActions } from '../grant-actions.ts';

/**
 * The gateway's token, made without a value: a generated one would be sent to the gateway as if it
 * were a token. Until a person puts the token in, the workers say NO_TOKEN.
 */
export class TokenSecret extends Construct {
  readonly secretArn: string;
  private readonly key: EncryptionKey | undefined;

  constructor(scope: Construct, id: string, props: StateProps & { readonly stage: string }) {
    super(scope, id);
    const secret = new CfnSecret(this, 'Default', {
      description: `Bearer token of the security gateway, for Gateway Autopilot (${props.stage})`,
      kmsKeyId: props.key?.keyArn,
    });
    secret.applyRemovalPolicy(props.isProtected ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY);
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions::AwsSolutions-SMG4',
      reason:
        'only the gateway makes tokens, and its interface has no operation for it: a person puts the new one in, warned 14 days before',
    });
    this.secretArn = secret.ref;
    this.key = props.key;
    this.keepOut();
  }

  /** Reads the value of this one secret. */
  grantRead(grantee: IGrantable): Grant {
    grantKeyUse(this.key?.keyArn, grantee, {
      through: 'secretsmanager',
      actions: ['kms:Decrypt'],
      why: 'Secrets Manager decrypts the token for who reads it',
    });
    return grantActions(grantee, {
      actions: ['secretsmanager:GetSecretValue'],
      resourceArns: [this.secretArn],
      why: 'each request to the gateway carries the token',
    });
  }

  /**
   * Puts a new value in, has it tried and makes it the one in use; the value in use is not read.
   */
  grantReplace(grantee: IGrantable, why: string): Grant {
    grantKeyUse(this.key?.keyArn, grantee, {
      through: 'secretsmanager',
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'], // "Secrets Manager encrypts" with a data key (Secrets Manager User Guide, secret encryption)
      why: 'Secrets Manager encrypts the token of who puts it in',
    });
    return grantActions(grantee, {
      actions: [
        'secretsmanager:DescribeSecret',
        'secretsmanager:PutSecretValue',
        'secretsmanager:UpdateSecretVersionStage',
      ],
      resourceArns: [this.secretArn],
      why,
    });
  }

  /**
   * Refuses what no role of the account may allow: plain HTTP, other accounts, a policy that is
   * public. IAM alone decides who of the account may read the token. The roles of the workers are
   * in the other stack, which depends on this one, so this policy cannot name them. A deny of all
   * others would lock out the person who has to repair it.
   */
  private keepOut(): void {
    new CfnResourcePolicy(this, 'Policy', {
      secretId: this.secretArn,
      blockPublicPolicy: true,
      resourcePolicy: new PolicyDocument({
        statements: [
          refused('TlsOnly', { Bool: { 'aws:SecureTransport': 'false' } }),
          refused('ThisAccountOnly', { StringNotEquals: { 'aws:PrincipalAccount': Aws.ACCOUNT_ID } }),
        ],
      }),
    });
  }
}

function refused(sid: string, conditions: Record<string, Record<string, string>>): PolicyStatement {
  return new PolicyStatement({
    sid,
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: ['secretsmanager:*'],
    resources: ['*'],
    conditions,
  });
}
