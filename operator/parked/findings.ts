/** Findings about runs: what they say, and what a person decides about them. */
import {
  type FindingRow,
  isOpenFinding,
  lowBecause,
  type LowScore,
  withDecision,
} from '#shared/ledger/results/finding-row.ts';
import { type FindingKind, findingKinds } from '#shared/ledger/rows/row-keys.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { Resolution } from '#shared/ledger/rows/message-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { Step } from '#shared/text/step.ts';
import { type JudgedFinding, judged } from '../finding.ts';
import { handleOf, isHandleOf, rememberHandle, rowsOfHandle } from '../handles.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { type RunReport, readRunReports } from '../run-state/run-report.ts';
import type { ZonedClock } from '../times/typed-times.ts';
import { type SentCommand, sendOperatorCommand } from '../runs/fire-schedule.ts';
import { waitForCommand, type WaitLimit } from '../outcomes/outcome-report.ts';
import type { OperatorDecision } from './resolve-parked.ts';

/** A finding as every surface has it. */
export interface FoundReport {
  /** Short handle for the command line. */
  readonly id: string;
  readonly run: string;
  readonly kind: FindingKind;
  /** Starts in a row. */
  readonly count: number;
  readonly since: string;
  /** Of the last start. */
  readonly at: string;
  readonly startId: string;
  readonly says: string;
  /** What changed since the complete run before it. */
  readonly changed?: readonly string[];
  readonly next: Step;
  /** Its page of the runbook. */
  readonly runbook: string;
  readonly resolutions?: readonly Resolution[];
}

const pages: Readonly<Record<FindingKind, string>> = {
  RUN_FAILED: 'RunFailed',
  RUN_UNSEEN: 'RunUnseen',
  SCORE_LOW: 'ScoreLow',
};

/** Tells findings, the oldest first, by how their last runs stand. */
export async function readFindings(
  rows: readonly Stored<FindingRow>[],
  ledger: Pick<Ledger, 'readMany'>,
  clock: ZonedClock,
): Promise<readonly FoundReport[]> {
  if (rows.length === 0) return [];
  const runs = await readRunReports([...new Set(rows.map(({ startId }) => startId))], ledger, clock);
  return rows.map((row) =>
    foundReport(
      row,
      runs.find(({ startId }) => startId === row.startId),
    ),
  );
}

/** Tells one finding. Pure. */
export function foundReport(row: FindingRow, run?: Pick<RunReport, 'says'>): FoundReport {
  const { pk, finding: kind, count, since, at, startId, low, resolutions } = row;
  const id = handleOf(pk);
  const often = count > 1 ? `, ${count} in a row` : '';
  const what = low === undefined ? (run?.says ?? 'its start is not kept any more') : lowWords(low);
  return {
    id,
    run: row.run,
    kind,
    count,
    since,
    at,
    startId,
    says: `${what}${often}`,
    changed: low?.changed,
    next: {
      says: `${nextSteps[kind]} To start it again, or to end this (--dismiss --reason …):`,
      command: ['autopilot', 'parked', 'resolve', id, '--repeat'],
    },
    runbook: pages[kind],
    resolutions,
  };
}

const nextSteps: Readonly<Record<FindingKind, string>> = {
  RUN_FAILED: 'Find out why at the gateway.',
  RUN_UNSEEN: 'Look at the gateway whether it ran.',
  SCORE_LOW: 'Look at what changed before it.',
};

/** @example lowWords({ score: 61, median: 87, changed: ['vendor: 1 change'] }) // 'score 61, and the runs before had 87; before it: vendor: 1 change' */
function lowWords(low: LowScore): string {
  const { score, changed } = low;
  const what = `score ${score}, and ${lowBecause(low)}`;
  return changed.length === 0 ? what : `${what}; before it: ${changed.join('; ')}`;
}

const subjects: Readonly<Record<FindingKind, string>> = {
  RUN_FAILED: 'result',
  RUN_UNSEEN: 'last start',
  SCORE_LOW: 'score',
};

/** The findings as needs. Pure. */
export function foundNeeds(findings: readonly FoundReport[]): readonly JudgedFinding[] {
  return findings.map(({ run, kind, says, next, at }) =>
    judged.problem(`${run}'s ${subjects[kind]}`, says, { moments: [{ says: 'found', at }], next }),
  );
}

/** Finds a finding by its handle, its key, or `RUN:KIND`; one that was decided about too. */
export async function findFinding(
  typed: string,
  open: readonly Stored<FindingRow>[],
  ledger: Ledger,
): Promise<Stored<FindingRow> | undefined> {
  const named = findingKinds.find((kind) => typed.toUpperCase().endsWith(`:${kind}`));
  const pk = named === undefined ? undefined : ledgerKeys.finding(typed.slice(0, -named.length - 1), named);
  const listed = open.find((row) => isHandleOf(typed, row.pk));
  const found = pk ?? listed?.pk ?? (await rowsOfHandle(ledger, typed)).find((key) => key.startsWith('finding#'));
  if (found === undefined) return undefined;
  const row = await ledger.read<FindingRow>(found);
  return row?.kind === 'finding' ? row : undefined;
}

/** What was decided about a finding. */
export interface FoundDecision extends OperatorDecision {
  readonly kind: 'repeat' | 'dismiss';
}

/** What a decision came to. */
export interface FoundResolved {
  readonly id: string;
  readonly run: string;
  readonly decision: FoundDecision['kind'];
  /** Why nothing was decided. */
  readonly problem?: string;
  /** Of a repeat: the new start. */
  readonly sent?: SentCommand;
}

/**
 * Writes a decision about a finding. A repeat is a new start of the name, with another run id; it is sent first, so that no decision stands
 * without its start.
 */
export async function resolveFinding(
  row: Stored<FindingRow>,
  { kind, by, reason, at }: FoundDecision,
  { deps, patience }: { readonly deps: OperatorDeps; readonly patience: WaitLimit },
): Promise<FoundResolved> {
  const about = { id: handleOf(row.pk), run: row.run, decision: kind };
  if (!isOpenFinding(row)) return { ...about, problem: problemOf(row) };
  const ledger = await deps.stage.ledger();
  await rememberHandle(ledger, row.pk, at);
  const subject = `start:${row.run}`;
  const wanted = { action: 'start', run: row.run, reason } as const;
  const sent =
    kind === 'dismiss'
      ? undefined
      : await sendOperatorCommand(wanted, { verb: 'send', subject, patience: undefined }, deps);
  const resolution = { decision: kind, by, reason, at: at.toISOString(), as: sent?.command.id };
  const { version: _version, writer: _writer, ...before } = row;
  const written = await ledger.write<FindingRow>(row, withDecision(before, resolution));
  const problem = written === undefined ? 'another writer changed it at this moment: look again' : undefined;
  if (sent === undefined || problem !== undefined) return { ...about, sent, problem };
  return { ...about, sent: { ...sent, ...(await waitForCommand(sent.command.id, patience, deps)) } };
}

function problemOf({ count, resolutions }: FindingRow): string {
  const last = resolutions?.at(-1);
  if (count === 0 || last === undefined) return 'it ended: a later run went better';
  return `it was decided already: ${last.by} decided "${last.decision}" at ${last.at} (${last.reason})`;
}
