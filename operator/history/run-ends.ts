import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import { openRows } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { isObserved } from '#shared/ledger/rows/row-keys.ts';
import { type CampaignRunCommand, compareCommands } from '#shared/messages/campaign-run-command.ts';
import { runIdOf } from './history.ts';

/** How the run of an applied start ended. */
export interface RunEnded {
  readonly endedAt: string;
  readonly endedBy: EndedBy;
}

/** `itself`: nothing stopped it, and the stage has counted it as over since. */
export type EndedBy =
  | { readonly kind: 'stop' | 'start'; readonly commandId: string; readonly askedBy: CampaignRunCommand['origin'] }
  | { readonly kind: 'itself' };

/** The commands of a walk that ended runs, and what they say about a start. */
export interface RunEnds {
  /** Keeps a command that ended a run. */
  readonly note: (row: CommandRow) => void;
  /** @returns `undefined` if the run may go on, or if no noted command tells its end */
  readonly of: (start: CommandRow, now: Date) => RunEnded | undefined;
}

/** Ids can be used again, so a command ends the latest start that was asked for before it. */
export function createRunEnds(): RunEnds {
  const noted = new Map<string, CommandRow[]>();
  return {
    note(row) {
      for (const key of endedRuns(row)) noted.set(key, [...(noted.get(key) ?? []), row]);
    },
    of(start, now) {
      const { outcome, inFlightUntil } = start;
      const key = runKey(start, runIdOf(start));
      if (start.command.action !== 'start' || outcome?.kind !== 'applied' || key === undefined) return undefined;
      const later = (noted.get(key) ?? []).filter((row) => compareCommands(row.command, start.command) > 0);
      const ended = later.map(endedBy).toSorted((a, b) => a.endedAt.localeCompare(b.endedAt))[0];
      // A run with a planned stop never ends by itself: until that stop is applied it counts as in flight.
      if (inFlightUntil === undefined || start.facts?.['stopDueAt'] !== undefined) return ended;
      const isOver = Date.parse(inFlightUntil) <= Date.parse(ended?.endedAt ?? now.toISOString());
      return isOver ? { endedAt: inFlightUntil, endedBy: { kind: 'itself' } } : ended;
    },
  };
}

/** The runs that a command ended, or started over. */
function endedRuns(row: CommandRow): readonly string[] {
  const { command, outcome, runVerdicts } = row;
  if (command.action === 'update') return [];
  // A stop by name ended several runs, each with its own verdict.
  const stopped = Object.entries(runVerdicts ?? {}).flatMap(([id, { kind }]) => (kind === 'applied' ? [id] : []));
  const own = runVerdicts === undefined && outcome?.kind === 'applied' ? runIdOf(row) : undefined;
  return [...stopped, own].map((id) => runKey(row, id)).filter((key) => key !== undefined);
}

/** What a stage only observed ends nothing that was sent. */
function runKey(row: CommandRow, campaignRunId: string | undefined): string | undefined {
  return campaignRunId && `${isObserved(row) ? 'observed ' : ''}${campaignRunId}`;
}

function endedBy({ id, command, outcome, openSince = '' }: CommandRow): RunEnded {
  const kind = command.action === 'start' ? 'start' : 'stop';
  return { endedAt: outcome?.at ?? openSince, endedBy: { kind, commandId: id, askedBy: command.origin } };
}

/** A stop that is overdue for longer than this is not looked for. */
const longestOverdueMs = 7 * 86_400_000;

/**
 * Notes the commands that ended after a range, so that starts near its end have theirs: a walk, oldest first, that stops once each start has its end.
 * @param starts - those without an end; each is taken out once it has one
 */
export async function noteLaterEnds(
  ledger: Pick<Ledger, 'listOpen'>,
  starts: readonly Stored<CommandRow>[],
  { ends, after, now }: { readonly ends: RunEnds; readonly after: Date; readonly now: Date },
): Promise<void> {
  let open = starts.filter((start) => start.inFlightUntil !== undefined && ends.of(start, now) === undefined);
  if (open.length === 0) return;
  const lastMs = Math.max(...open.map(({ inFlightUntil = '' }) => Date.parse(inFlightUntil)));
  const until = new Date(lastMs + longestOverdueMs).toISOString();
  for await (const row of openRows(ledger, 'ENDED', { since: after.toISOString(), until })) {
    if (row.kind !== 'command') continue;
    ends.note(row);
    open = open.filter((start) => ends.of(start, now) === undefined);
    if (open.length === 0) return;
  }
}
