/** A person's repeat of a parked command, as the parked row says it. Pure. */
import type { CampaignRunCommand } from './campaign-run-command.ts';

/** What the row of a parked command has of it. */
export interface RepeatableRow {
  readonly command: CampaignRunCommand;
  readonly campaignRunId?: string;
  /** The last one of them says under which id, and when it was decided. */
  readonly resolutions?: readonly { readonly as?: string; readonly at: string }[];
}

/**
 * The command that repeats the one of a row, issued when that was decided. The repeat of a stop of
 * one start is a stop of its run.
 * @returns `undefined` if the last decision about the row is no repeat
 */
export function repeatOf({ command, campaignRunId, resolutions }: RepeatableRow): CampaignRunCommand | undefined {
  const { as: id, at: issuedAt = '' } = resolutions?.at(-1) ?? {};
  if (id === undefined) return undefined;
  const { startId, ...options } = command;
  if (startId === undefined) return { ...options, id, issuedAt };
  const { run: _run, ...ofRun } = options;
  return { ...ofRun, campaignRunId: options.campaignRunId ?? campaignRunId, id, issuedAt };
}
