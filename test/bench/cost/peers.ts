import type { Usage } from './usage.ts';

/** Another way to send a million requests to a gateway, and what it leaves out. */
export interface Peer {
  readonly name: string;
  readonly usage: Usage;
  /** What the figure assumes. */
  readonly assumes: string;
  /** What it does not do that the workers do. */
  readonly lacks: string;
}

const million = 1_000_000;

const noLedger = 'no ledger, no check of the file, no answer to "was it sent?", no stop';

/** Ways to send a million uploads to the gateway. */
export const uploadPeers: readonly Peer[] = [
  {
    name: 'Pipes + API destination, batches of 10',
    usage: { sqsRequest: 1.2 * million, pipeRequest: million, apiDestination: million },
    assumes: 'S3 sends each message, the pipe receives and deletes ten at a time',
    lacks: noLedger,
  },
  {
    name: 'Pipes + API destination, one by one',
    usage: { sqsRequest: 3 * million, pipeRequest: million, apiDestination: million },
    assumes: 'the pipe receives and deletes each message by itself',
    lacks: noLedger,
  },
  {
    name: 'bus + API destination',
    usage: { busEvent: million, apiDestination: million },
    assumes: 'S3 announces objects to EventBridge, which counts them as custom events; 24 hours of retries',
    lacks: noLedger,
  },
  {
    name: 'Step Functions Express',
    usage: { busEvent: million, expressRequest: million, expressGbSecond: million * 0.1 * 0.0625 },
    assumes: 'started by the bus; an HTTP task of 100 ms in the smallest memory that is billed, 64 MB',
    lacks: noLedger,
  },
  {
    name: 'Step Functions Standard',
    usage: { busEvent: million, standardTransition: 3 * million },
    assumes: 'started by the bus; three transitions: read the object, HTTP task, end',
    lacks: 'no check of the file, no pace, no stop',
  },
  {
    name: 'GitHub Actions, one job for each',
    usage: { runnerMinute: million },
    assumes: 'a job is billed for its first minute',
    lacks: 'schedules come minutes late or not at all; no ledger, no retry by class of failure',
  },
];

/** Ways to send a million scheduled commands. */
export const commandPeers: readonly Peer[] = [
  {
    name: 'Scheduler + bus + API destination',
    usage: { schedulerInvocation: million, busEvent: million, apiDestination: million },
    assumes: 'a schedule puts an event, a rule calls the gateway',
    lacks: 'no guard, no stop that is planned with the start, no ledger',
  },
  {
    name: 'Step Functions Express',
    usage: { schedulerInvocation: million, expressRequest: million, expressGbSecond: million * 0.1 * 0.0625 },
    assumes: 'a schedule starts a workflow with one HTTP task of 100 ms',
    lacks: 'no guard over several workflows, no ledger',
  },
  {
    name: 'Step Functions Standard',
    usage: { schedulerInvocation: million, standardTransition: 4 * million },
    assumes: 'start, wait, stop, end: the wait of hours is free of charge',
    lacks: 'no guard over several workflows',
  },
  {
    name: 'GitHub Actions cron',
    usage: { runnerMinute: million },
    assumes: 'a job is billed for its first minute',
    lacks: 'schedules come minutes late or not at all; no guard, no ledger',
  },
];
