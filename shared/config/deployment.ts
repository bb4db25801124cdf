/**
 * What the owners of an AWS account ask of everything in it: each setting by itself, each off by
 * default (`docs/deploying.md`). What is written is what infra gets: none has a default to apply.
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
   * A bucket that people put files into already, in place of one of the stage's own. It keeps
   * versions, and its owner lets it announce new objects to the stage's queues. @default a bucket
   * of the stage's own
   */
  readonly uploadsBucket?: {
    /** Its name, and no ARN. */
    readonly name: string;
    /** ARN of the key of yours that its objects are encrypted with. @default none of yours */
    readonly keyArn?: string;
  };
  /**
   * `customer-managed`: ledger, token, queues and the stage's bucket each get a key of this
   * account, with rotation. About 1 $ a month for each key. @default keys that the services keep,
   * at no cost
   */
  readonly encryption?: 'customer-managed';
  /**
   * Days for which EventBridge keeps each event of the outcome bus, 1 to 3,650. What it keeps, no
   * `Operator` can change. @default none is kept
   */
  readonly eventArchiveDays?: number;
  /**
   * A bucket of yours for the functions' archives, in the region of the stage. Neither deploying nor the templates then need the CDK's
   * bootstrap: what is deployed is put there with your own credentials. @default the bucket of the bootstrap
   */
  readonly assets?: {
    /** Its name, and no ARN. */
    readonly bucket: string;
    /** What keys begin with; it ends with a slash. */
    readonly prefix: string;
  };
  /** On everything that takes tags. @default none */
  readonly tags?: Readonly<Record<string, string>>;
}

/** The addresses of a stage's alarms and notices. */
export interface Notify {
  /** Each gets a message to confirm first, from AWS. @default none */
  readonly emails?: readonly string[];
  /** Chats and other receivers of HTTPS requests, at most four. @default none */
  readonly webhooks?: readonly WebhookDocument[];
  /**
   * A schedule is silent, and rings, after this many occurrences in a row without a start, for any
   * reason. @default 1
   */
  readonly silentAfter?: number;
  /**
   * Occurrences that count too: in a blackout that has an end, or while the stage only observes.
   * @default none
   */
  readonly silentAlso?: readonly SilentAlso[];
  /**
   * A run with fewer unused run ids than this rings: each start uses one. @default 14, two weeks of
   * nights
   */
  readonly runIdsLow?: number;
  /**
   * What goes well and is sent too, one message each: a run `started`, `stopped`, or `ended` (only
   * with `gateway.readsRuns`), a dataset `registered`. @default none
   */
  readonly also?: readonly NewsKind[];
}

/** What goes well: sent to people only if it is named. */
export type NewsKind = 'started' | 'stopped' | 'ended' | 'registered';

/** Occurrences without a start that are on purpose: they count only if they are named. */
export type SilentAlso = 'blackouts' | 'observe';

/**
 * A receiver of alarms and notices. Its address is a secret, so this names the secret and never the
 * address.
 */
export interface WebhookDocument {
  /** A name of your own, of at most 40 characters. */
  readonly name: string;
  /**
   * `slack`: an incoming webhook. `teams`: a workflow that posts an Adaptive Card. `json`: each
   * event as EventBridge has it.
   */
  readonly kind: 'slack' | 'teams' | 'json';
  /**
   * Name of a secret in Secrets Manager, in the stage's account and region: `{"url": "https://…"}`.
   * For `json` it also holds a `key`, which each request carries in the header `x-api-key`.
   * CloudFormation reads it when the stack is deployed.
   */
  readonly secret: string;
}
