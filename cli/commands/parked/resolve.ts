import type { CommandArguments } from '../../arguments.ts';
import type { CommandResult } from '../../command.ts';
import type { CommandDeps } from '../../deps.ts';
import { UsageError } from '../../errors.ts';
import { type ExitCode, exitCodes, gravestExit } from '../../exit-codes.ts';
import { exitOfReport, outcomeLines } from '../../outcome-report.ts';
import { type Paint, printable } from '../../output.ts';
import { findParked } from '../../parked-rows.ts';
import { type ResolveReport, resolveRow, type Verdict } from '../../resolve-rows.ts';
import { patienceOf } from '../../waiting.ts';

/** `autopilot parked resolve ID…`: a person's decision about parked rows. */
export async function resolveCommand(
  ids: readonly string[],
  args: CommandArguments,
  deps: CommandDeps,
): Promise<CommandResult> {
  if (ids.length === 0) throw new UsageError('parked resolve needs an id: autopilot parked list shows them');
  const verdict = verdictOf(args);
  const patience = patienceOf(args);
  const reason = args.text('reason');
  if (verdict.kind === 'dismiss' && reason === undefined)
    throw new UsageError('--dismiss needs a --reason: it stays in the ledger');
  if (verdict.kind === 'applied' && ids.length > 1) throw new UsageError('--applied is about one upload: give one id');

  const rows = await findParked(await deps.stage.ledger(), ids);
  const decision = { by: deps.operator, reason: reason ?? 'no reason given', at: await deps.now() };
  // All are sent before the first is waited for; each row is on its own.
  const resolved = await Promise.all(rows.map((row) => resolveRow(row, { verdict, decision, patience }, deps)));
  return {
    exitCode: gravestExit(resolved.map((report) => exitOf(report))),
    data: { resolved },
    render: (paint) => resolved.flatMap((report) => lines(report, paint)),
  };
}

function verdictOf(args: CommandArguments): Verdict {
  const datasetId = args.text('applied');
  const given = [datasetId !== undefined, args.flag('repeat'), args.flag('dismiss')].filter(Boolean).length;
  const choices =
    'one of --applied DATASET-ID (it is at the gateway), --repeat (do it again), --dismiss --reason … (nothing more)';
  if (given === 0) throw new UsageError(`parked resolve needs a decision: ${choices}`);
  if (given > 1) throw new UsageError(`parked resolve takes one decision: ${choices}`);
  if (datasetId !== undefined) return { kind: 'applied', datasetId };
  return { kind: args.flag('repeat') ? 'repeat' : 'dismiss' };
}

function exitOf(report: ResolveReport): ExitCode {
  if (report.problem !== undefined) return exitCodes.failed;
  return report.next === undefined ? exitCodes.done : exitOfReport(report.next);
}

function lines(report: ResolveReport, paint: Paint): readonly string[] {
  const about = `${report.id} ${printable(report.subject)}`;
  if (report.problem !== undefined) return [`${about}: ${paint('red', 'not resolved')}, ${printable(report.problem)}`];
  if (report.decision === 'dismiss') return [`${about}: ${paint('green', 'dismissed')}`];
  if (report.decision === 'applied') {
    return [
      `${about}: ${paint('green', 'recorded as applied')}${report.isSent ? ', its follow-ups are on their way' : ''}`,
    ];
  }
  if (report.next === undefined) return [`${about}: ${paint('cyan', 'sent again')}; it is a new message now`];
  if (report.next.datasetId !== undefined) {
    return [
      `${about}: sent again, ${paint('green', 'registered')} with dataset id ${paint('bold', report.next.datasetId)}`,
    ];
  }
  return outcomeLines(`${about}: sent again`, report.next, paint);
}
