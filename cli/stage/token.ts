import { type Finding, withCauses } from '#operator/finding.ts';
import { UsageError } from '#operator/errors.ts';
import { putToken, type PromotionTrial, tryToken } from '#operator/token/promote-token.ts';
import { everyFinding, type TokenFindings } from '#operator/token/token-findings.ts';
import { NoTokenError, secretOfToken, tokenInSecret } from '#shared/aws/secret-token.ts';
import { type Command, type CommandDeps, type CommandResult, exitCodes, exitOfFindings } from '../terminal/command.ts';
import { timeWords, typedTime, type ZonedClock } from '#operator/times/typed-times.ts';
import { findingLines } from '../terminal/findings.ts';

const tokenInWords =
  'A token is never typed on the command line: the history of the shell and the list of processes keep it. Run autopilot token set without it, and it asks. Or give it a file: autopilot token set < FILE. Consider what you have typed as known to others';

export const command: Command = {
  line: {
    says: "The token of the gateway, in the stage's secret. Exit code 4 if it is no good.",
    refusal: tokenInWords,
    verbs: {
      set: {
        says: 'Asks for the token without showing it, or reads standard input.',
        more: 'A deployed worker tries it with one read first. Only a token that the gateway takes is used. The one before stays readable for a roll-back (AWSPREVIOUS).',
        refusal: tokenInWords,
        options: {
          '--expires <DATE>':
            'when it expires: 2027-01-31, or 2027-01-31T12:00:00Z; you are warned from two weeks before',
        },
        examples: [
          'autopilot token set --expires 2027-01-31',
          'autopilot token set --aws --stage prod < new-token.txt',
        ],
      },
      check: {
        says: 'Has a deployed worker try each read of the interface.',
        more: 'It says whether the token is valid, which permission is missing, and when it expires.',
        refusal: tokenInWords,
        examples: ['autopilot token check --aws --stage prod'],
      },
    },
  },
  async run(args, deps) {
    return args.verb === 'set' ? setToken(args.text('expires'), deps) : checkToken(deps);
  },
};

async function checkToken(deps: CommandDeps): Promise<CommandResult> {
  const [tried, now] = await Promise.all([tryToken(undefined, deps), deps.now()]);
  const findings = withCauses(everyFinding(tried));
  return {
    exitCode: exitOfFindings(findings),
    data: { findings },
    now,
    render: (screen) => findingLines(findings, screen),
  };
}

async function setToken(expires: string | undefined, deps: CommandDeps): Promise<CommandResult> {
  const { refusal, ...trial } = await putToken(await givenToken(expires, deps), deps);
  const now = await deps.now();
  return refusal === undefined ? promoted(trial.tried, now) : notPromoted(refusal, trial, now);
}

function promoted(tried: TokenFindings, now: Date): CommandResult {
  const findings = everyFinding(tried);
  return {
    exitCode: exitOfFindings(findings),
    data: { isSet: true, findings },
    now,
    render: (screen) => [
      `${screen.paint('green', 'set')}: a worker read with it. Every worker takes it up at the next refusal of the old one`,
      ...findingLines(findings, screen).map((text) => `  ${text}`),
      '  Next: revoke the old one at the gateway.',
    ],
  };
}

function notPromoted(refusal: Finding, { isFirst, tried }: PromotionTrial, now: Date): CommandResult {
  // The first version of a secret is the current one from the beginning; there is none before it to go back to.
  const left = isFirst ? 'it is the first one and stays in the secret all the same' : 'the one before stays in use';
  const because = { ...refusal, says: `${refusal.says} (${left})` };
  return {
    exitCode: exitCodes.parked,
    data: { isSet: isFirst, findings: everyFinding(tried) },
    now,
    render: (screen) => [
      screen.paint('red', isFirst ? 'set, and of no use' : 'not set'),
      ...findingLines([because], screen),
    ],
  };
}

/**
 * Asks for the token, and makes the text for the secret: what the workers could not read is refused
 * before anything is stored.
 */
export async function givenToken(
  expires: string | undefined,
  deps: Pick<CommandDeps, 'readSecret' | 'now' | 'target'>,
): Promise<string> {
  const expiresAt = expires === undefined ? undefined : expiryArgument(expires, await deps.now());
  const text = await deps.readSecret(`token of the gateway for the stage ${deps.target.stage} (it is not shown): `);
  if (text.trim() === '') throw new UsageError('no token was given: nothing was done');
  try {
    const found = tokenInSecret(text);
    return secretOfToken(expiresAt === undefined ? found : { ...found, expiresAt });
  } catch (error) {
    if (!(error instanceof NoTokenError)) throw error;
    const rule = error.detail.replace(/^the secret/, 'what was given');
    throw new UsageError(`${rule}: nothing was done`, { cause: error });
  }
}

/** A date without a time means its beginning, in UTC: rather a day too early than too late. */
function expiryArgument(text: string, now: Date): string {
  const clock = { now, zone: 'UTC' };
  const at = expiryIn(text, clock);
  if (at > now) return at.toISOString();
  throw new UsageError(`--expires: ${timeWords(at, clock)} has passed: it is ${timeWords(now, clock)}`);
}

function expiryIn(text: string, clock: ZonedClock): Date {
  try {
    return typedTime('--expires', text, 'future', clock).at;
  } catch {
    // Not quoted: it may be the token, pasted into the wrong place.
    throw new UsageError('--expires: this is not a date, for example 2027-01-31 or 2027-01-31T12:00:00Z');
  }
}
