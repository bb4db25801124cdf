import type { CommandResult } from '../command.ts';
import type { CommandDeps } from '../deps.ts';
import { exitOfFindings, findingLines } from '../finding.ts';
import { everyFinding } from './token-findings.ts';
import { tryToken } from './try-token.ts';

/** `autopilot token check`: the token in use, and what it may do. */
export async function checkToken(deps: CommandDeps): Promise<CommandResult> {
  const findings = everyFinding(await tryToken(undefined, deps));
  return {
    exitCode: exitOfFindings(findings),
    data: { findings },
    render: (paint) => findingLines(findings, paint),
  };
}
