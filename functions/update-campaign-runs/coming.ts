import type { CommandItem, RunItem } from '../../shared/ledger/items.ts';
import { type CampaignRunCommand, compareGenerations } from '../../shared/messages/campaign-run-command.ts';

/** What a preview has before it, in the order in which it comes. Pure. */

/** A command, or a stop that a start planned, at its instant. */
export type Coming = ComingCommand | ComingStop;

/** A command. */
export interface ComingCommand {
  readonly atMs: number;
  readonly command: CampaignRunCommand;
  /** The end of the blackout that put it off. */
  readonly deferredUntil?: string;
}

/** A stop that a start planned. */
export interface ComingStop {
  readonly atMs: number;
  readonly due: {
    readonly campaignRunId: string;
    readonly commandId: string;
    readonly status: string;
    readonly run?: string;
  };
}

/** The stop of a run that is in flight. */
export function plannedStop({ campaignRunId, run, stopDue }: RunItem): readonly ComingStop[] {
  if (stopDue === undefined) return [];
  const { at, commandId, status } = stopDue;
  return [{ atMs: Date.parse(at), due: { campaignRunId, commandId, status, ...(run === undefined ? {} : { run }) } }];
}

/** A start that a blackout has put off, at the end of that. */
export function deferredStart({ command, deferred }: CommandItem): readonly ComingCommand[] {
  if (deferred === undefined) return [];
  return [{ atMs: Date.parse(deferred.until), command, deferredUntil: deferred.until }];
}

/** Takes the earliest out. Of one instant stops come first, then starts; a stop that is due comes last: the watcher finds it within a minute. */
export function takeNext(coming: Coming[]): Coming | undefined {
  let first: Coming | undefined;
  for (const one of coming) if (first === undefined || isBefore(one, first)) first = one;
  if (first !== undefined) coming.splice(coming.indexOf(first), 1);
  return first;
}

function isBefore(a: Coming, b: Coming): boolean {
  if (a.atMs !== b.atMs) return a.atMs < b.atMs;
  if (rankOf(a) !== rankOf(b)) return rankOf(a) < rankOf(b);
  return 'command' in a && 'command' in b && compareGenerations(a.command, b.command) < 0;
}

function rankOf(coming: Coming): number {
  if ('due' in coming) return 2;
  return coming.command.action === 'stop' ? 0 : 1;
}
