import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type ChaosRun, chosenId } from './automation-document.ts';
import { oneOf, type SeededRandom } from './seeded-random.ts';

/** One message for the commands queue. */
export interface CommandEvent {
  readonly kind: 'command';
  /** Where it stands in time: the commands of all runs, in the order of `issuedAt`. */
  readonly place: number;
  /** Absent if the message is none that a worker could read. */
  readonly command?: PlannedCommand;
  /** The message itself if it is not a command. */
  readonly unreadable?: string;
  /** How often it is sent. */
  readonly copies: number;
}

/** A command, but for its instant. */
export interface PlannedCommand {
  readonly id: string;
  readonly action: 'start' | 'stop';
  readonly target: Pick<CampaignRunCommand, 'run' | 'campaignRunId'>;
  /** Name of the run that it is about; absent for an unconfigured name. */
  readonly run?: string;
  /** A message, or an upload that starts a run once it is registered. */
  readonly via: 'queue' | 'upload';
  /** Issued a month ago, so that its validity is over. */
  readonly isStale: boolean;
}

/** Sent twice by its sender, beside what the queue does by itself. */
const sentTwice = 0.1;
const stale = 0.04;
const unreadable = 0.02;
const unknownName = 0.02;
/** A start that chooses its id; a stop of an id that an earlier start chose. */
const byId = 0.2;

/** Plans commands about these runs: mostly starts and stops in turn, some that cannot be followed. */
export function planCommands(count: number, runs: readonly ChaosRun[], random: SeededRandom): readonly CommandEvent[] {
  const lastAction = new Map<string, 'start' | 'stop'>();
  const chosen = new Map<string, string>();
  return Array.from({ length: count }, (_, place): CommandEvent => {
    const copies = random.chance(sentTwice) ? 2 : 1;
    if (random.chance(unreadable)) return { kind: 'command', place, copies: 1, unreadable: `{"no command": ${place}` };
    const run = oneOf(random, runs);
    const action = nextAction(lastAction.get(run.name), random);
    const id = `${action}-${run.name}#${place}`;
    if (random.chance(unknownName)) {
      const target = { run: `unknown-${place}` };
      return { kind: 'command', place, copies, command: { id, action, target, via: 'queue', isStale: false } };
    }
    const isStale = random.chance(stale);
    if (!isStale) lastAction.set(run.name, action);
    const target = targetOf({ action, run: run.name, place, chosen: chosen.get(run.name) }, random);
    const { campaignRunId } = target;
    if (action === 'start' && campaignRunId !== undefined) chosen.set(run.name, campaignRunId);
    return { kind: 'command', place, copies, command: { id, action, target, via: 'queue', run: run.name, isStale } };
  });
}

interface Drawn {
  readonly action: PlannedCommand['action'];
  readonly run: string;
  readonly place: number;
  /** The id that the last start of the run chose which did. */
  readonly chosen: string | undefined;
}

/** By name or by id. */
function targetOf({ action, run, place, chosen }: Drawn, random: SeededRandom): PlannedCommand['target'] {
  const isById = random.chance(byId);
  if (isById && action === 'start') return { run, campaignRunId: chosenId(place) };
  if (isById && chosen !== undefined) return { campaignRunId: chosen };
  return { run };
}

/**
 * Starts and stops mostly take turns: two starts in a row are an overlap, two stops are harmless.
 */
function nextAction(last: 'start' | 'stop' | undefined, random: SeededRandom): PlannedCommand['action'] {
  const turn = last === 'start' ? 'stop' : 'start';
  const same = last ?? 'start';
  return random.weighted([
    [85, turn],
    [15, same],
  ] as const);
}

const monthMs = 30 * 86_400_000;
/**
 * So far back the first command is issued: all of them lie in the past when the first is sent, in
 * their order.
 */
const planSpanMs = 600_000;
/** A start that waits for another run waits until then, so this bounds the waiting that a chaos run passes over. */
const validForMs = 12 * 3_600_000;
const validFor = `PT${validForMs / 3_600_000}H`;

/** The message of a command, for a run that begins at that instant. */
export function commandMessage(event: CommandEvent, total: number, startedAt: Date): string {
  const { command, place } = event;
  if (command === undefined) return event.unreadable ?? '';
  return JSON.stringify({
    version: 1,
    id: command.id,
    action: command.action,
    ...command.target,
    issuedAt: issuedAtOf(event, total, startedAt).toISOString(),
    ...(command.action === 'start' ? { validFor } : {}),
    origin: { kind: 'operator', name: `chaos ${place}` },
  } satisfies CampaignRunCommand);
}

/** When a command was issued that was sent as a message. */
function issuedAtOf({ command, place }: CommandEvent, total: number, startedAt: Date): Date {
  const agoMs = command?.isStale === true ? monthMs : 0;
  return new Date(startedAt.getTime() - planSpanMs + Math.floor((planSpanMs * place) / (total + 1)) - agoMs);
}
