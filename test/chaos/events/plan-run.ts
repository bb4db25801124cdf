import type { ChaosOptions } from '../chaos-options.ts';
import { type ChaosRun, chaosRuns } from './automation-document.ts';
import { type CommandEvent, planCommands } from './command-events.ts';
import { seededRandom, type SeededRandom } from './seeded-random.ts';
import { planUploads, type UploadEvent } from './upload-events.ts';

/** What is sent, and in which order. */
export interface ChaosPlan {
  readonly runs: readonly ChaosRun[];
  readonly uploads: readonly UploadEvent[];
  readonly commands: readonly CommandEvent[];
  /** Every upload once and every command as often as it is sent. */
  readonly order: readonly (UploadEvent | CommandEvent)[];
}

/** Of four events one is a command. */
const commandShare = 0.25;
/** Commands are sent up to so many events late: out of the order in which they were issued. */
const latestBy = 30;

/** Plans a run by its seed. Pure. */
export function planRun({ events, seed }: Pick<ChaosOptions, 'events' | 'seed'>): ChaosPlan {
  const commandCount = Math.round(events * commandShare);
  const runs = chaosRuns(commandCount);
  const uploads = planUploads(events - commandCount, seededRandom(seed, 'uploads'));
  const commands = planCommands(commandCount, runs, seededRandom(seed, 'commands'));
  return { runs, uploads, commands, order: mixed(uploads, commands, seededRandom(seed, 'order')) };
}

/**
 * Uploads keep their order (an overwritten key needs its first version); commands are spread over
 * them and delayed at random.
 */
function mixed(
  uploads: readonly UploadEvent[],
  commands: readonly CommandEvent[],
  random: SeededRandom,
): readonly (UploadEvent | CommandEvent)[] {
  const total = uploads.length + commands.length;
  const placed = [
    ...uploads.map((event, index) => ({ event, at: (index * total) / Math.max(1, uploads.length) })),
    ...commands.flatMap((event) =>
      Array.from({ length: event.copies }, () => ({
        event,
        at: (event.place * total) / Math.max(1, commands.length) + random.next() * latestBy,
      })),
    ),
  ];
  return placed.toSorted((a, b) => a.at - b.at).map(({ event }) => event);
}
