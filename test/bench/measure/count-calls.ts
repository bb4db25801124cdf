import { functionEnvironment } from './deployed-function.ts';
import { runCold } from './run-cold.ts';
import { gateReads } from '../responder/aws-answers.ts';
import type { Responder } from '../responder/open-responder.ts';

/** What each record took, counted where it arrived. */
export interface CallsPerRecord {
  /**
   * Calls of AWS by operation, without the secret and without reads of the gate's row: an
   * environment makes these by the clock.
   */
  readonly aws: Readonly<Record<string, number>>;
  /** All of them. */
  readonly awsCalls: number;
}

/** Batches of records for one function. */
export interface CountedRecords {
  /** Absolute path of its bundle. */
  readonly bundle: string;
  readonly events: readonly object[];
  /** In all events. */
  readonly records: number;
  /** The request that each of them is for. */
  readonly method: 'GET' | 'PATCH' | 'POST';
}

/**
 * Gives records to a function in a new environment, and counts what it asks for.
 * @throws Error if not every record sent its request
 */
export async function countCalls(counted: CountedRecords, responder: Responder): Promise<CallsPerRecord> {
  const { bundle, events, records, method } = counted;
  const before = await responder.asked();
  await runCold({ file: bundle, events, environment: functionEnvironment(responder.origin) });
  const { aws, gateway } = await responder.asked();
  const sent = (gateway[method] ?? 0) - (before.gateway[method] ?? 0);
  if (sent !== records) throw new Error(`of ${records} records ${sent} sent their ${method}`);
  const calls = Object.entries(aws)
    .filter(([name]) => name !== 'GetSecretValue' && name !== gateReads)
    .map(([name, times]) => [name, times - (before.aws[name] ?? 0)] as const)
    .filter(([, times]) => times > 0);
  const all = calls.reduce((sum, [, times]) => sum + times, 0);
  return { aws: Object.fromEntries(calls.map(([name, times]) => [name, times / records])), awsCalls: all / records };
}
