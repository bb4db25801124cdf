import type { CommandEvent, Decision, Moment, PatchAnswer, Rows } from '#functions/_runs/decide/state.ts';
import { decide } from '#functions/_runs/rounds.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { newRunRow, type RunRow } from '#shared/ledger/rows/run-row.ts';
import { type InFlight, newTargetRow, withRuns } from '#shared/ledger/rows/target-row.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { inFlight } from '../../../../builders/run-rows.ts';
import { configWith, smokeId, aCommand } from '../../update-campaign-runs/harness/update-bench.ts';

/** What a decision is about: a test states only what differs. */
export interface Given {
  readonly command?: Partial<CampaignRunCommand>;
  /** What the command's row holds beside the command; absent: it has none. */
  readonly own?: Partial<CommandRow>;
  readonly entries?: readonly InFlight[];
  readonly run?: Partial<RunRow>;
  /** Other rows, by what is in them. */
  readonly others?: readonly LedgerRow[];
  readonly switches?: readonly SwitchRow[];
  /** Minutes after ten. @default 1 */
  readonly minute?: number;
  readonly config?: Parameters<typeof configWith>[0];
  readonly gateWaitMs?: number;
  readonly receiveCount?: number;
}

/** The entry of a start of the smoke run at ten. */
export function anEntry(fields: Partial<InFlight> = {}): InFlight {
  const ofTen = { campaignRunId: smokeId, run: 'smoke', startId: 'start', endsAt: '2026-11-20T22:30:00.000Z' };
  return inFlight({ ...ofTen, state: 'starting', unanswered: 1, ...fields });
}

/** The moment of a command with these rows. */
export function momentOf(given: Given): Moment {
  const sent = aCommand({ id: 'start', ...given.command });
  const now = new Date(Date.parse('2026-11-20T22:00:00Z') + (given.minute ?? 1) * 60_000);
  const own = given.own === undefined ? [] : [{ ...newCommandRow(sent, now), ...given.own }];
  const target = withRuns(newTargetRow('chat-bot'), given.entries ?? []);
  const run = { ...newRunRow(sent.run ?? 'smoke'), ...given.run };
  const rows: Rows = new Map(
    [...own, target, run, ...(given.others ?? [])].map((row) => [row.pk, { ...row, version: 1, writer: 'w' }]),
  );
  const config = configWith(given.config ?? {});
  const { receiveCount = 1, gateWaitMs = 0, switches = [] } = given;
  return {
    sent,
    command: sent,
    rows,
    targets: ['chat-bot'],
    run: config.runs[sent.run ?? ''],
    switches,
    now,
    config,
    delivery: { owner: 'a1', remainingMs: 30_000, random: () => 0.5, body: '{}', receiveCount, sentAt: now },
    gateWaitMs,
    slots: { runsMs: 0, readsMs: 0 },
    callBudgetMs: 14_000,
  };
}

/** What is decided, in words: the entry of the smoke run, what is sent, the outcome or a wait. */
export function decided(given: Given, event: CommandEvent = { type: 'command' }): string {
  const moment = momentOf(given);
  const decision = decide(moment, event);
  return [entryIn(decision, given), effectIn(decision), endIn(decision, moment)].join(', ');
}

function entryIn({ writes }: Decision, { entries = [] }: Given): string {
  const row = writes.find((one) => one.kind === 'target');
  if (row === undefined || row.kind !== 'target') return '–';
  if (row.runs.length < entries.length) return 'removed';
  const [last] = row.runs.toReversed();
  return last === undefined ? '–' : `${last.state} ${last.unanswered}`;
}

function effectIn({ effect }: Decision): string {
  if (effect === undefined) return '–';
  if (effect.do === 'patch') return `PATCH ${effect.to}`;
  return effect.do === 'send-ends' ? `end of ${effect.ends.map(({ startId }) => startId).join(', ')}` : 'GET campaign';
}

function endIn({ then, writes }: Decision, { sent }: Moment): string {
  if (then.kind !== 'outcome') return then.kind;
  const row = writes.find(({ pk }) => pk === ledgerKeys.command(sent.id));
  const { kind, reason } = (row?.kind === 'command' ? row.outcome : undefined) ?? {};
  return [kind, reason].filter(Boolean).join(' ');
}

/** An answer to the PATCH of the smoke run. */
export function answered(answer: PatchAnswer): CommandEvent {
  return { type: 'answered', campaignRunId: smokeId, answer };
}

/** A refusal, with what the calls found out about it. */
export function refusal(fields: Partial<Exclude<PatchAnswer, { next: 'applied' }>> = {}): PatchAnswer {
  return {
    applied: 'no',
    next: 'park',
    why: 'no',
    evidence: { requestSent: true, httpStatus: 422 },
    reason: 'VALIDATION',
    ...fields,
  };
}

export function campaignReads(reading: { readonly lastRun?: string; readonly lastRunAt?: string }): CommandEvent {
  return { type: 'campaign-read', result: { next: 'read', reading } };
}
