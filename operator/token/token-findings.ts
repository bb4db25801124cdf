import { type ReadFailure, type TokenAnswer, type TriedRead, triedReads } from '#shared/messages/questions.ts';
import { isLoopbackUrl } from '#shared/net/loopback.ts';
import { after, type Finding, putBack, judged } from '../finding.ts';
import { counted } from '../readable.ts';
import { causeOfFailure, newToken } from './cause-of-failure.ts';
import { dayMs } from '#shared/schedule/duration.ts';

/** What a trial of the token shows. */
export interface TokenFindings {
  readonly token: Finding;
  readonly gateway: Finding;
  /** The operations of the interface; none where token or gateway are the problem. */
  readonly operations: readonly Finding[];
}

/** All of them, in the order in which they are shown. */
export function everyFinding({ token, gateway, operations }: TokenFindings): readonly Finding[] {
  return [token, gateway, ...operations];
}

/** Two weeks, as the workers warn: time to ask a vendor for another token. */
const warnedDays = 14;

/** What a worker's answer about the token comes to at this instant. Pure. */
export function tokenFindings({ secret, reads, baseUrl }: TokenAnswer, now: Date): TokenFindings {
  if (secret.kind === 'unusable') {
    const gateway = judged.unknown('gateway', 'not asked: there is no token to ask with');
    return { token: unusable(secret), gateway, operations: [] };
  }
  const gateway = gatewayFinding(reads, baseUrl);
  const token = tokenFinding(secret.expiresAt, { reads, baseUrl, isAnswering: gateway.state === 'ok', now });
  const isUsable = token.state !== 'problem' && gateway.state === 'ok';
  return { token, gateway, operations: isUsable ? operationFindings(reads, baseUrl) : [] };
}

type Unusable = Extract<TokenAnswer['secret'], { kind: 'unusable' }>;

function unusable({ code, why, restoring }: Unusable): Finding {
  if (code === 'NO_TOKEN')
    return judged.problem('token', why, { next: { says: 'Put one in.', command: ['autopilot', 'token', 'set'] } });
  if (restoring !== undefined)
    return judged.problem('token', 'its secret is marked for deletion', {
      next: { says: 'Restore it.', command: restoring },
    });
  if (code === 'TOKEN_DENIED')
    return judged.problem('token', why, {
      next: after("Look at the secret's resource policy and its key, or:", putBack),
    });
  return judged.problem('token', `the secret could not be read: ${why}`, { next: { says: 'Try again.' } });
}

/** A status that only a gateway which knows the path gives; a server that is another thing answers 404 to everything. */
function isAnswer(read: TriedRead): boolean {
  if (read.kind === 'answered') return true;
  const { httpStatus: status, speaker } = read.kind === 'failed' ? read.failure : {};
  return speaker === undefined && status !== undefined && [400, 401, 403, 422, 429].includes(status);
}

function gatewayFinding(reads: readonly TriedRead[], baseUrl: string): Finding {
  const subject = 'gateway';
  if (reads.some(isAnswer)) return judged.ok(subject, `${baseUrl} answers`);
  const [failure] = failuresOf(reads);
  if (failure === undefined)
    return judged.unknown(subject, 'nothing was asked in time', { next: { says: 'Try again.' } });
  // Said of the token.
  if (failure.httpStatus === 401) return judged.unknown(subject, 'not reached: something before it answers');
  return { subject, state: 'problem', ...causeOfFailure(failure, baseUrl) };
}

function failuresOf(reads: readonly TriedRead[]): readonly ReadFailure[] {
  return reads.flatMap((read) => (read.kind === 'failed' ? [read.failure] : []));
}

const setExpiry = {
  says: 'Put it in again, with its date in the place of DATE.',
  command: ['autopilot', 'token', 'set', '--expires', 'DATE'],
};

function tokenFinding(
  expiresAt: string | undefined,
  seen: {
    readonly reads: readonly TriedRead[];
    readonly baseUrl: string;
    readonly isAnswering: boolean;
    readonly now: Date;
  },
): Finding {
  const { reads, baseUrl, isAnswering, now } = seen;
  const subject = 'token';
  const expiry = expiryOf(expiresAt, now);
  const { moments } = expiry;
  const refused = failuresOf(reads).find(({ httpStatus }) => httpStatus === 401);
  const isOver = expiry.leftMs <= 0;
  if (refused !== undefined) {
    const cause = causeOfFailure(refused, baseUrl);
    const who = refused.speaker === undefined ? 'the gateway' : 'something before the gateway';
    return isOver
      ? judged.problem(subject, `it ${expiry.words}, and ${who} refuses it (401)`, { moments, next: cause.next })
      : { subject, state: 'problem', ...cause };
  }
  if (!isAnswering) {
    const says = `there is one, it ${expiry.words}; whether the gateway takes it is not known`;
    return isOver
      ? judged.problem(subject, says, { moments, next: newToken })
      : judged.unknown(subject, says, { moments });
  }
  if (isOver)
    return judged.warning(subject, `it ${expiry.words}, and the gateway still takes it`, { moments, next: newToken });
  const isSoon = expiry.leftMs <= warnedDays * dayMs || Number.isNaN(expiry.leftMs);
  // Every token of a real gateway ends: without its date no warning can come in time.
  if (expiresAt === undefined && !isLoopbackUrl(baseUrl)) {
    const says = 'the gateway takes it; no expiry date set, so nothing can warn before it ends';
    return judged.warning(subject, says, { next: setExpiry });
  }
  const says = `the gateway takes it; it ${expiry.words}`;
  return isSoon ? judged.warning(subject, says, { moments, next: newToken }) : judged.ok(subject, says, { moments });
}

/** When it ends, in words that follow on `it`. */
interface Expiry extends Pick<Finding, 'moments'> {
  readonly leftMs: number;
  readonly words: string;
}

function expiryOf(expiresAt: string | undefined, now: Date): Expiry {
  if (expiresAt === undefined) return { leftMs: Infinity, words: 'has no expiry date set' };
  const leftMs = Date.parse(expiresAt) - now.getTime();
  if (Number.isNaN(leftMs)) return { leftMs, words: 'has an expiresAt that is not a time' };
  const days = Math.floor(leftMs / dayMs);
  const moments = [{ says: 'expires', at: expiresAt }];
  if (leftMs <= 0) return { leftMs, words: 'has expired', moments };
  return { leftMs, words: `expires in ${counted(days, 'day')}`, moments };
}

/** Nothing that would change something is tried. */
const writes = ['PATCH /campaign-runs', 'POST /datasets'] as const;

function operationFindings(reads: readonly TriedRead[], baseUrl: string): readonly Finding[] {
  const tried = triedReads.flatMap((name) => reads.filter(({ read }) => read === name));
  return [
    ...tried.map((read) => readFinding(read, baseUrl)),
    ...writes.map((subject) => judged.unknown(subject, 'not tried: no try of it would change nothing')),
  ];
}

function readFinding(read: TriedRead, baseUrl: string): Finding {
  const subject = read.read;
  const of = read.of === undefined ? '' : ` (${read.of})`;
  if (read.kind === 'answered') return judged.ok(subject, `allowed${of}`);
  if (read.kind === 'untried') return judged.unknown(subject, `not tried: ${read.why}`);
  const { httpStatus, speaker } = read.failure;
  // A 422 of a read by id means the id: the request holds nothing else.
  if (speaker === undefined && (httpStatus === 404 || httpStatus === 422) && read.of !== undefined) {
    const next = { says: `Correct ${read.setting ?? 'the id'} in automation.config.ts and deploy.` };
    return judged.problem(subject, `the gateway has none with the configured id${of} (${httpStatus})`, { next });
  }
  if (subject === 'GET /endpoints' && httpStatus !== 403) {
    // The interface marks it deprecated: a gateway may have taken it away.
    return judged.unknown(subject, `${read.failure.message}: only projects.endpoints uses it`);
  }
  return { subject, state: httpStatus === 429 ? 'warning' : 'problem', ...causeOfFailure(read.failure, baseUrl) };
}
