import type { Played } from './play.ts';
import { type CommandAsSent, commandsOf } from './sent-work.ts';

/** One time that a run was running at the gateway, and the commands whose requests began and ended it. */
export interface Stint {
  readonly campaignRunId: string;
  readonly by: CommandAsSent;
  readonly fromMs: number;
  /** `Infinity`: it is running. */
  readonly endMs: number;
  /** Absent: it ended by itself, or is running. */
  readonly endedBy?: CommandAsSent;
}

/** An accepted start begins a minute later: what was still to come at the end of a history counts. */
const stillToComeMs = 10 * 60_000;

/** What the gateway saw of a history's runs. */
export interface RunsSeen {
  readonly commands: readonly CommandAsSent[];
  readonly stints: readonly Stint[];
  /** When a run ended, or was cancelled before it began, by its id. */
  readonly ends: ReadonlyMap<string, number>;
  /** Runs that may go on, which is not known: a stop of them was refused, or a refusal was untrue. */
  readonly excused: ReadonlySet<string>;
}

/** Reads the gateway's own log of effects, and whose requests they were. */
export function runsSeenIn(played: Played): RunsSeen {
  const { time, gateway } = played.stage.world;
  const commands = commandsOf(played);
  const senderOf = (id: string | undefined) => commands.find(({ command }) => command.id === id);
  const effects = gateway.effects(time.nowMs() + stillToComeMs);
  const stints = effects.flatMap((begun, position): readonly Stint[] => {
    const by = senderOf(begun.by);
    if (begun.kind !== 'begins' || by === undefined) return [];
    const { campaignRunId, atMs: fromMs } = begun;
    const end = effects.slice(position + 1).find((one) => one.kind === 'ends' && one.campaignRunId === campaignRunId);
    return [{ campaignRunId, by, fromMs, endMs: end?.atMs ?? Infinity, endedBy: senderOf(end?.by) }];
  });
  const ended = effects.filter(({ kind }) => kind === 'ends');
  return {
    commands,
    stints,
    ends: new Map(ended.map(({ campaignRunId, atMs }) => [campaignRunId, atMs])),
    excused: new Set([...gateway.liedAbout, ...commands.flatMap(leftRunning)]),
  };
}

/** The runs that a parked stop may have left running. */
function leftRunning({ command, row }: CommandAsSent): readonly string[] {
  if (command.action !== 'stop' || row?.outcome?.kind !== 'parked') return [];
  const named = [command.campaignRunId, row.campaignRunId].filter((id) => id !== undefined);
  return [...named, ...Object.keys(row.stops ?? {})];
}
