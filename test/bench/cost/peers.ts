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

const noLedger = 'no ledger, file check or stop';

/** Ways to send a million uploads to the gateway. */
export const uploadPeers: readonly Peer[] = [
  {
    name: 'Pipes + API destination, batches of 10',
    usage: { sqsRequest: 1.2 * million, pipeRequest: million, apiDestination: million },
    assumes: 'the pipe receives and deletes ten at a time',
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
    assumes: 'S3 announces objects as custom events; 24 hours of retries',
    lacks: noLedger,
  },
  {
    name: 'Step Functions Express',
    usage: { busEvent: million, expressRequest: million, expressGbSecond: million * 0.1 * 0.0625 },
    assumes: 'an HTTP task of 100 ms, 64 MB',
    lacks: noLedger,
  },
  {
    name: 'Step Functions Standard',
    usage: { busEvent: million, standardTransition: 3 * million },
    assumes: 'three transitions',
    lacks: 'no file check, pace or stop',
  },
  {
    name: 'GitHub Actions, one job for each',
    usage: { runnerMinute: million },
    assumes: 'a job is billed for its first minute',
    lacks: 'late schedules; no ledger',
  },
];

/** Ways to send a million scheduled commands. */
export const commandPeers: readonly Peer[] = [
  {
    name: 'Scheduler + bus + API destination',
    usage: { schedulerInvocation: million, busEvent: million, apiDestination: million },
    assumes: 'a rule calls the gateway',
    lacks: 'no guard, planned stop or ledger',
  },
  {
    name: 'Step Functions Express',
    usage: { schedulerInvocation: million, expressRequest: million, expressGbSecond: million * 0.1 * 0.0625 },
    assumes: 'one HTTP task of 100 ms',
    lacks: 'no guard or ledger',
  },
  {
    name: 'Step Functions Standard',
    usage: { schedulerInvocation: million, standardTransition: 4 * million },
    assumes: 'start, wait, stop, end',
    lacks: 'no guard',
  },
  {
    name: 'GitHub Actions cron',
    usage: { runnerMinute: million },
    assumes: 'a job is billed for its first minute',
    lacks: 'late schedules; no guard or ledger',
  },
];
