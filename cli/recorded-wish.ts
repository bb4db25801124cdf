import { type BindingItem, ledgerKeys, type RunItem } from '../shared/ledger/items.ts';
import type { Ledger } from '../shared/ledger/ledger.ts';
import type { CampaignRunCommand } from '../shared/messages/campaign-run-command.ts';
import { readEither } from './read-either.ts';

/** What a command is about: a configured run, or any run by its uuid. */
export type RunSubject = Pick<CampaignRunCommand, 'run' | 'campaignRunId'>;

/**
 * The instant for a person's command: now, or a millisecond after the newest wish that the ledger knows about this run. A laptop whose clock is
 * slow could not stop a run otherwise: its stop would be older than the start, and superseded.
 */
export async function issueInstant(subject: RunSubject, now: Date, ledger: Ledger): Promise<Date> {
  const recorded = await recordedInstants(subject, ledger);
  return new Date(Math.max(now.getTime(), ...recorded.map((instant) => Date.parse(instant) + 1)));
}

async function recordedInstants(subject: RunSubject, ledger: Ledger): Promise<readonly string[]> {
  if (subject.campaignRunId !== undefined) return instantsOf(await readRun(subject.campaignRunId, ledger));
  const name = subject.run ?? '';
  const [binding, inFlight] = await Promise.all([
    readEither<BindingItem>(ledger, ledgerKeys.binding(name)),
    ledger.listOpen('RUN_IN_FLIGHT'),
  ]);
  const lastUsed = binding?.used.at(-1);
  const lastRun = lastUsed === undefined ? undefined : await readRun(lastUsed.campaignRunId, ledger);
  const runs = inFlight.items.filter((row): row is typeof row & RunItem => row.kind === 'run' && row.run === name);
  return [
    ...(binding?.newestStop === undefined ? [] : [binding.newestStop.issuedAt]),
    ...[lastRun, ...runs].flatMap((run) => instantsOf(run)),
  ];
}

async function readRun(campaignRunId: string, ledger: Ledger): Promise<RunItem | undefined> {
  return readEither<RunItem>(ledger, ledgerKeys.run(campaignRunId));
}

function instantsOf(run: RunItem | undefined): readonly string[] {
  return [run?.wish, run?.applied, run?.updated].flatMap((made) => (made === undefined ? [] : [made.issuedAt]));
}
