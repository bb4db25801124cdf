/** `autopilot parked resolve` about findings: dismissed with a reason, or repeated by a new start. */
import { UsageError } from '#operator/errors.ts';
import type { WaitLimit } from '#operator/outcomes/outcome-report.ts';
import { findFinding, foundReport, type FoundResolved, resolveFinding } from '#operator/parked/findings.ts';
import { listWaiting } from '#operator/parked/parked-rows.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import type { FindingRow } from '#shared/ledger/results/finding-row.ts';
import { withInstants } from '#operator/readable.ts';
import { type CommandDeps, type CommandResult, exitCodes, exitOfReport, gravestExit } from '../terminal/command.ts';
import type { ResolveRequest } from './resolve-request.ts';
import type { TextScreen } from '../terminal/times.ts';

/**
 * The findings that these ids name.
 * @throws UsageError if some name findings and some do not: each kind is decided about by its own rules
 */
export async function foundOf(ids: readonly string[], deps: CommandDeps): Promise<readonly Stored<FindingRow>[]> {
  if (ids.length === 0) return [];
  const ledger = await deps.stage.ledger();
  const { findings } = await listWaiting(ledger);
  const named = await Promise.all(ids.map(async (id) => findFinding(id, findings, ledger)));
  const found = named.filter((row) => row !== undefined);
  if (found.length > 0 && found.length < ids.length)
    throw new UsageError(
      'some of these ids are findings about runs, and some are parked items: decide about each kind alone',
    );
  return found;
}

/** Decides about findings, one after the other. */
export async function resolveFound(
  rows: readonly Stored<FindingRow>[],
  { verdict, because = 'no reason given', isDryRun }: ResolveRequest,
  { deps, patience, now }: { readonly deps: CommandDeps; readonly patience: WaitLimit; readonly now: Date },
): Promise<CommandResult> {
  const { kind } = verdict;
  if (kind === 'applied') throw new UsageError('--applied is about an upload: a finding is repeated or dismissed');
  if (isDryRun) {
    const left = rows.map((row) => foundReport(row));
    const lines = left.map(({ id, run, kind: found }) => `dry run: ${id} ${run} ${found} would be ${doneWords[kind]}`);
    return { data: { isDryRun, decision: kind, findings: left }, render: () => lines };
  }
  const resolved: FoundResolved[] = [];
  for (const row of rows) {
    const decision = { kind, by: deps.operator, reason: because, at: now };
    resolved.push(await resolveFinding(row, decision, { deps, patience }));
  }
  const codes = resolved.map(({ problem, sent }) =>
    problem !== undefined ? exitCodes.failed : sent === undefined ? exitCodes.done : exitOfReport(sent),
  );
  return {
    exitCode: gravestExit(codes),
    data: { resolved },
    now,
    render: (screen) => resolved.map((one) => lineOf(one, screen)),
  };
}

const doneWords = { repeat: 'repeated', dismiss: 'dismissed' } as const;

function lineOf({ id, run, decision, problem, sent }: FoundResolved, { paint, at }: TextScreen): string {
  if (problem !== undefined) return `${id} ${run}: ${paint('red', withInstants(problem, at))}`;
  const as = sent === undefined ? '' : `: start ${sent.command.id}, ${sent.outcome}`;
  return `${id} ${run}: ${doneWords[decision]}${as}`;
}
