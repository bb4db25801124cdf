import { parseArgs } from 'node:util';

/** What a chaos run was asked for. */
export interface ChaosOptions {
  /** Uploads and commands that are sent, those of people's mistakes included. */
  readonly events: number;
  /** Processes to kill while they work. */
  readonly kills: number;
  /** The part of the gateway's requests that meets a fault. */
  readonly faults: number;
  readonly seed: string;
}

/** A sentence for the person who typed the command, and nothing else. */
export class ChaosUsageError extends Error {
  override readonly name = 'ChaosUsageError';
}

/** Help of `npm run chaos -- --help`. */
export const chaosHelp = `Kills workers and breaks the gateway while uploads and run commands come in, and counts from outside what became
of each of them: npm run chaos -- [options]

  --events N     uploads and commands to send (default 200)
  --kills N      processes to kill (SIGKILL) while they are at work (default 20)
  --faults P     part of the gateway's requests that meet a fault, 0 to 0.9 (default 0.2)
  --seed S       decides events, faults, order of delivery and moments of death (default: drawn, and printed)
  --help         this text

The synthesized template of stage chaos runs on this machine (short timeouts, processes of its own for every function) beside the embedded
gateway; the queues deliver in random order and one message in seven twice. Nothing but 127.0.0.1 is asked. State lives in a temporary
folder that is gone afterwards. Processes are real, so the same seed is the same plan and not the same interleaving.

Exit codes: 0 every promise held; 1 one was broken, and the keys with their history are printed; 2 the command line is wrong or the stage could not start.
`;

const mostEvents = 100_000;

/**
 * Reads the command line.
 * @param drawSeed - asked if no seed is given
 * @throws ChaosUsageError in one sentence
 */
export function readChaosOptions(args: readonly string[], drawSeed: () => string): ChaosOptions | 'help' {
  const values = parse(args);
  if (values.help === true) return 'help';
  return {
    events: wholeNumber('--events', values.events ?? '200', 1),
    kills: wholeNumber('--kills', values.kills ?? '20', 0),
    faults: fraction('--faults', values.faults ?? '0.2'),
    seed: values.seed ?? drawSeed(),
  };
}

function parse(args: readonly string[]) {
  try {
    const text = { type: 'string' } as const;
    const options = { events: text, kills: text, faults: text, seed: text } as const;
    return parseArgs({ args: [...args], options: { ...options, help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new ChaosUsageError(`${sentence}; npm run chaos -- --help lists the options`, { cause: error });
  }
}

function wholeNumber(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= mostEvents) return value;
  throw new ChaosUsageError(`${flag} ${text} is not a whole number from ${least} to ${mostEvents}`);
}

function fraction(flag: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 0.9) return value;
  throw new ChaosUsageError(`${flag} ${text} is not a number from 0 to 0.9; 0.2 strikes every fifth request`);
}
