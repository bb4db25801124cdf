import type { BatchCounts } from './count-batch.ts';
import type { NightCounts } from './count-commands.ts';
import type { Usage } from './usage.ts';

const million = 1_000_000;

/** A night is two commands, and each comes alone. */
const nights = million / 2;

/** What a command waits for, in seconds, and the memory of its function, in GB. */
const latency = { gateway: 0.04, ledger: 0.005 };
const memoryGb = 0.5;

/** Each command reads the gate, and reads and rewrites the list of recent outcomes. */
const perCommand = { reads: 2, writes: 1 };

/** What a million commands from schedules take: half of them starts, half of them stops. */
export function millionCommands(night: NightCounts, batch: BatchCounts): Usage {
  const secondsOfNight =
    night.requests * latency.gateway +
    (night.reads + night.writes + 2 * (perCommand.reads + perCommand.writes)) * latency.ledger;
  return {
    schedulerInvocation: million,
    sqsRequest: 3 * million, // sent, received and deleted one by one
    ledgerWrite: nights * night.writeUnits + million * Math.ceil(batch.recentBytes / 1024),
    ledgerRead: nights * night.readUnits + million * (1 + Math.ceil(batch.recentBytes / 4096)),
    busEvent: nights * night.events,
    lambdaRequest: million,
    lambdaGbSecond: nights * secondsOfNight * memoryGb,
    logGb: (nights * night.logBytes) / 1e9,
  };
}
