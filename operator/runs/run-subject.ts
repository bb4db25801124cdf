import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { RunIdPoolRow } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { RunRow } from '#shared/ledger/rows/run-row.ts';
import { readOpenRuns } from '#shared/ledger/open-rows.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { UsageError } from '../errors.ts';
import { readEither } from '../outcomes/outcome-report.ts';

/** What a command is about: a configured run, or any run by its uuid. */
export type RunSubject = Pick<CampaignRunCommand, 'run' | 'campaignRunId'>;

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Whether a text is a uuid. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** A run by its configured name, or by its uuid. */
export function runSubject(text: string): RunSubject {
  if (isUuid(text)) return { campaignRunId: text.toLowerCase() };
  // Long, and only what uuids are made of: a slip in a uuid rather than a name.
  if (/^[0-9a-f-]{28,}$/i.test(text))
    throw new UsageError(`"${text}" is not a whole uuid: 8-4-4-4-12 hexadecimal digits`);
  return { run: text };
}

/**
 * The instant for a person's command: now, or 1 ms after the latest command that the ledger records for this run. If the clock of a laptop is
 * slow, its stop would else be earlier than the start, and superseded.
 */
export async function issueInstant(subject: RunSubject, now: Date, ledger: Ledger): Promise<Date> {
  const recorded = await recordedInstants(subject, ledger);
  return new Date(Math.max(now.getTime(), ...recorded.map((instant) => Date.parse(instant) + 1)));
}

async function recordedInstants(subject: RunSubject, ledger: Ledger): Promise<readonly string[]> {
  if (subject.campaignRunId !== undefined) return instantsOf(await readRun(subject.campaignRunId, ledger));
  const name = subject.run ?? '';
  const [pool, open] = await Promise.all([
    readEither<RunIdPoolRow>(ledger, ledgerKeys.runIdPool(name)),
    readOpenRuns(ledger),
  ]);
  const lastRun = pool?.lastUsed === undefined ? undefined : await readRun(pool.lastUsed, ledger);
  const runs = open.filter(({ run }) => run === name);
  const latestStop = pool?.latestStop?.issuedAt;
  return [...(latestStop === undefined ? [] : [latestStop]), ...[lastRun, ...runs].flatMap((run) => instantsOf(run))];
}

async function readRun(campaignRunId: string, ledger: Ledger): Promise<RunRow | undefined> {
  return readEither<RunRow>(ledger, ledgerKeys.run(campaignRunId));
}

/** Updates count too: a later update replaces an earlier one. */
function instantsOf(row: RunRow | undefined): readonly string[] {
  const commands = [row?.latest, row?.update?.applied, row?.update?.pending];
  return commands.flatMap((command) => (command === undefined ? [] : [command.issuedAt]));
}
