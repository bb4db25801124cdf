/** Where a stage sends its alarms and its notices. */
export interface Notify {
  /** Each gets a message to confirm first, from AWS. @default none */
  readonly emails?: readonly string[];
  /** Chats and other receivers of HTTPS requests, at most four. @default none */
  readonly webhooks?: readonly WebhookDocument[];
}

/** A receiver of alarms and notices. Its address is a secret, so this names the secret and never the address. */
export interface WebhookDocument {
  /** A name of your own, of at most 40 characters. */
  readonly name: string;
  /** `slack`: an incoming webhook. `teams`: a workflow that posts an Adaptive Card. `json`: each event as EventBridge has it. */
  readonly kind: 'slack' | 'teams' | 'json';
  /**
   * Name of a secret in Secrets Manager, in the stage's account and region: `{"url": "https://…"}`. For `json` it also holds a `key`, which
   * each request carries in the header `x-api-key`. CloudFormation reads it when the stack is deployed.
   */
  readonly secret: string;
}
