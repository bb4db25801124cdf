/** The people and programs that a stage tells. */
import * as z from 'zod';
import { watchNamePattern, watchNameRule } from './names.ts';
import { section } from './section.ts';
import { count, email, listOf, nameOf, secretName } from './value-schemas.ts';

/** A receiver of HTTPS requests. */
export const webhook = section({
  /** A name of your own, of at most 40 characters. */
  name: nameOf(watchNamePattern, watchNameRule), // part of a target's id, which has 64 characters
  /**
   * `slack`: an incoming webhook. `teams`: a workflow that posts an Adaptive Card. `json`: each
   * event as EventBridge has it.
   */
  kind: z.enum(['slack', 'teams', 'json']),
  /**
   * Name of a secret in Secrets Manager, in the stage's account and region: `{"url": "https://…"}`.
   * For `json` it also holds a `key`, which each request carries in the header `x-api-key`.
   * CloudFormation reads it when the stack is deployed.
   */
  secret: secretName,
});

/**
 * A rule of EventBridge has at most five targets (EventBridge quotas), one of them the stage's
 * topic.
 */
const mostWebhooks = 4;

/** The receivers of alarms and notices; each address once. */
export const notify = section({
  /** Each gets a message to confirm first, from AWS. */
  emails: listOf(email)
    .transform((emails): readonly string[] => [...new Set(emails)])
    .default([]),
  /** Chats and other receivers of HTTPS requests, at most four. */
  webhooks: z.array(webhook).max(mostWebhooks).readonly().default([]),
  /**
   * A schedule is silent, and rings, after this many occurrences in a row without a start, for any
   * reason.
   */
  silentAfter: count.default(1),
  /**
   * Occurrences that count too: in a blackout that has an end, or while the stage only observes.
   */
  silentAlso: listOf(z.enum(['blackouts', 'observe'])).default([]),
  /** A run with fewer unused run ids than this rings: each start uses one. */
  runIdsLow: count.default(14), // two weeks of nights: time to make new runs at the gateway
  /**
   * What goes well and is sent too, one message each: a run `started`, `stopped`, or `ended` (only
   * with `gateway.readsRuns`), a dataset `registered`.
   */
  also: listOf(z.enum(['started', 'stopped', 'ended', 'registered'])).default([]),
});
