/**
 * What the owners of an AWS account ask of everything in it: each setting by itself, each off by default (`docs/deploying.md`). What is
 * written is what infra gets: none has a default to apply.
 */
export interface Deployment {
  /** The functions run in these subnets, with these security groups. @default in no VPC */
  readonly vpc?: {
    /** At least one. */
    readonly subnetIds: readonly string[];
    /** At least one. */
    readonly securityGroupIds: readonly string[];
  };
  /** ARN of the policy that bounds every role. @default none */
  readonly permissionsBoundary?: string;
  /**
   * A bucket that people put files into already, in place of one of the stage's own. It keeps versions, and its owner lets it announce new
   * objects to the stage's queues. @default a bucket of the stage's own
   */
  readonly uploadsBucket?: {
    /** Its name, and no ARN. */
    readonly name: string;
    /** ARN of the key of yours that its objects are encrypted with. @default none of yours */
    readonly keyArn?: string;
  };
  /**
   * `customer-managed`: the ledger, the token, the queues and the stage's own bucket are encrypted with a key each of this account, with rotation; about
   * 1 $ a month for each key. @default keys that the services keep, at no cost
   */
  readonly encryption?: 'customer-managed';
  /** On everything that takes tags. @default none */
  readonly tags?: Readonly<Record<string, string>>;
}
