import type { Command, CommandDeps, CommandResult } from '../command.ts';
import { UsageError } from '#operator/errors.ts';
import { exitCodes, exitOfFindings } from '../exit-codes.ts';
import { findingLines } from '../terminal/result-lines.ts';
import type { Finding } from '#operator/doctor/finding.ts';
import { givenToken } from './given-token.ts';
import { putToken, type TokenTrial, tryToken } from '#operator/token/promote-token.ts';
import { everyFinding, type TokenFindings } from '#operator/token/token-findings.ts';

const help = `autopilot token set [--expires DATE]
autopilot token check

The token of the gateway, in the stage's secret.

  set                       asks for the token and shows nothing of it, or reads
                            standard input. A deployed worker tries it with one
                            read first; only a token that the gateway takes is
                            used. The one before stays readable for a roll-back
                            (AWSPREVIOUS).
  --expires DATE            when it expires: 2027-01-31, or an instant such as
                            2027-01-31T12:00:00Z; you are warned from two weeks
                            before
  check                     has a deployed worker try each read of the
                            interface: is the token valid, which permission is
                            missing, when does it expire

A token is never taken from the command line: it would stay in the shell's
history and be seen by everybody who lists the processes of this machine. Exit
code 4 if it is no good.

Examples
  autopilot token set --expires 2027-01-31
  autopilot token set --aws --stage prod < new-token.txt
  autopilot token check --aws --stage prod`;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [word, ...more] = args.positionals;
  const expires = args.text('expires');
  if (word === 'set') {
    if (more.length > 0) throw new UsageError(tokenInWords);
    return setToken(expires, deps);
  }
  if (word === 'check') {
    if (more.length > 0 || expires !== undefined) throw new UsageError('token check takes nothing more');
    return checkToken(deps);
  }
  // Not even quoted: it may be the token itself.
  throw new UsageError('token takes one word: autopilot token set, or autopilot token check');
}

const tokenInWords =
  'token set takes no token on the command line, where the history of the shell and the list of processes keep it: run it without, and it asks; or give it a file, as in autopilot token set < FILE. Consider what you have typed as known to others';

async function checkToken(deps: CommandDeps): Promise<CommandResult> {
  const findings = everyFinding(await tryToken(undefined, deps));
  return {
    exitCode: exitOfFindings(findings),
    data: { findings },
    render: (paint) => findingLines(findings, paint),
  };
}

async function setToken(expires: string | undefined, deps: CommandDeps): Promise<CommandResult> {
  const { refusal, ...trial } = await putToken(await givenToken(expires, deps), deps);
  return refusal === undefined ? promoted(trial.tried) : notPromoted(refusal, trial);
}

function promoted(tried: TokenFindings): CommandResult {
  const findings = everyFinding(tried);
  return {
    exitCode: exitOfFindings(findings),
    data: { isSet: true, findings },
    render: (paint) => [
      `${paint('green', 'set')}: a worker read with it, and every worker takes it up at the next refusal of the old one`,
      ...findingLines(findings, paint).map((line) => `  ${line}`),
      '  next: revoke the old one at the gateway',
    ],
  };
}

function notPromoted(refusal: Finding, { isFirst, tried }: TokenTrial): CommandResult {
  // The first version of a secret is the current one from the beginning; there is none before it to go back to.
  const left = isFirst ? 'it is the first one and stays in the secret all the same' : 'the one before stays in use';
  const because = { ...refusal, says: `${refusal.says} (${left})` };
  return {
    exitCode: exitCodes.parked,
    data: { isSet: isFirst, findings: everyFinding(tried) },
    render: (paint) => [paint('red', isFirst ? 'set, and of no use' : 'not set'), ...findingLines([because], paint)],
  };
}

/** `autopilot token`. */
export const command: Command = { help, words: ['set', 'check'], options: { expires: { type: 'string' } }, run };
