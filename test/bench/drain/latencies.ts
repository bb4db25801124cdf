/**
 * What the virtual clock takes for granted of the surroundings. They were not measured in AWS. They
 * are what its documents and users report for calls within one region, and a little slower than
 * those, so that what holds here holds there.
 */
import type { Port } from '../../faults/model/world/world.ts';
import type { VirtualTime } from '../../faults/model/world/virtual-time.ts';

/** From the first byte of a request to the last one of its answer, as performance.md has it. */
export const gatewayMs = 40;

/** Lambda's pollers fetch ahead; the next batch begins so soon after the end of one. */
export const betweenBatchesMs = 10;

/**
 * Least and most for one call, in milliseconds. DynamoDB answers in single-digit milliseconds, S3
 * within some tens.
 */
const portMs: Readonly<Record<Port, readonly [number, number]>> = {
  'ledger read': [3, 7],
  'ledger write': [4, 8],
  'ledger answer': [0, 0],
  bus: [8, 20],
  objects: [12, 30],
  secret: [20, 50],
  queue: [5, 15],
};

/** How long one call of something of our own takes. */
export function latencyOf(time: VirtualTime, port: Port): number {
  const [least, most] = portMs[port];
  return least + time.random() * (most - least);
}
