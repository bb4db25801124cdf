/** States and policies for decisions without a worker; a test states only what it is about. */
import type { CommandState, Policy } from '#functions/_runs/decide/state.ts';
import { runNamed, startPolicy } from '#functions/_runs/run-policy.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { type RunRow, runRowOf, type RunState, type SentStart } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aCommand, configWith, smokeId, tenOClock } from '../../update-campaign-runs/harness/update-bench.ts';

/** An instant so many minutes after ten. */
export const minute = (count: number): string => new Date(tenOClock + count * 60_000).toISOString();

/** So many minutes after ten, as decisions take it. */
export const at = (count: number): Date => new Date(tenOClock + count * 60_000);

/** A row as it was read. */
export const stored = <Row extends LedgerRow>(row: Row): Stored<Row> => ({ ...row, version: 1, writer: 'w1' });

/** The start of the smoke run at ten, sent at once. */
export const sentStart = (fields: Partial<SentStart> = {}): SentStart => ({
  startId: 'at-ten',
  issuedAt: minute(0),
  firstSentAt: minute(0),
  effectAt: minute(0),
  until: minute(30),
  plannedStop: { at: minute(30), word: 'stopped' },
  guardName: 'chat-bot',
  approvals: 0,
  ...fields,
});

/** The row of the smoke run in a state. */
export const runIn = (state: RunState, identity: Partial<RunRow> = {}): Stored<RunRow> =>
  stored(runRowOf({ campaignRunId: smokeId, run: 'smoke', latest: identity.latest }, state));

/** All that a decision needs: a first delivery of a start, an open gate, free slots. */
export function aState(fields: Partial<CommandState> = {}): CommandState {
  const command = fields.command ?? aCommand({ id: 'at-ten' });
  return {
    sent: command,
    command,
    delivery: {
      owner: 'me',
      remainingMs: 30_000,
      body: JSON.stringify(command),
      receiveCount: 1,
      sentAt: at(0),
      random: () => 1,
    },
    campaignRunId: smokeId,
    others: new Map(),
    otherRuns: [],
    switches: [],
    gateWaitMs: 0,
    slots: { runsMs: 0, readsMs: 0, waiting: 0, spacingMs: 1000 },
    ...fields,
  };
}

/** What the configuration of the bench says about a command. */
export function policyOf(command: CampaignRunCommand, options: Parameters<typeof configWith>[0] = {}): Policy {
  const config = configWith(options);
  const start = command.action === 'start' ? startPolicy(command, runNamed('smoke', config), config) : undefined;
  return { config, callBudgetMs: 14_000, start };
}
