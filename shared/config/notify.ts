/** Where a stage sends its alarms and its notices. */
export interface Notify {
  /** Each gets a message to confirm first, from AWS. @default none */
  readonly emails?: readonly string[];
  /** Chats and other receivers of HTTPS requests, at most four. @default none */
  readonly webhooks?: readonly WebhookDocument[];
  /** A schedule is silent, and rings, after this many occurrences in a row without a start, whatever the reason. @default 1 */
  readonly silentAfter?: number;
  /** Occurrences that count too: in a blackout that has an end, or while the stage only observes. @default none */
  readonly silentAlso?: readonly SilentAlso[];
}

/** Occurrences without a start that are on purpose: they count only if they are named. */
export type SilentAlso = 'blackouts' | 'observe';

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
