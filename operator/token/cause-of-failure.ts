import { type Trouble, troubleOf } from '#shared/gateway-client/failures/troubles.ts';
import type { ReadFailure } from '#shared/messages/questions.ts';
import type { Step } from '#shared/text/step.ts';
import { after, type Finding } from '../finding.ts';

/** Why a read of the gateway failed, and what to do: each in a few words. */
export type Cause = Required<Pick<Finding, 'says' | 'next'>>;

const deployAddress: Step = { says: 'Correct gateway.baseUrl in automation.config.ts and deploy.' };

/** A new token for the old one. */
export const newToken: Step = {
  says: 'Make a new one at the gateway, then put it in.',
  command: ['autopilot', 'token', 'set'],
};

/** The cause of a failed read, for the person who repairs it. Pure. */
export function causeOfFailure(failure: ReadFailure, baseUrl: string): Cause {
  const { code: errorCode, message } = failure;
  const trouble = troubleOf({ ...failure, errorCode });
  if (trouble !== undefined) return { says: troubleSays(failure, trouble, baseUrl), next: trouble.next };
  if (errorCode === 'BAD_STATUS') return causeOfStatus(failure, baseUrl);
  if (errorCode === 'NOT_SENT') {
    return { says: `${new URL(baseUrl).host} cannot be reached: ${failure.causeMessage ?? message}`, next: askGateway };
  }
  if (errorCode === 'TIMEOUT' || errorCode === 'CONNECTION_LOST') {
    return { says: `${baseUrl} takes requests and does not answer them: ${message}`, next: askGateway };
  }
  return { says: message, next: askGateway };
}

/** What a code of Node says alone helps no person: the host stands before it, and the code behind it. */
function troubleSays({ message, causeCode, causeMessage }: ReadFailure, { is }: Trouble, baseUrl: string): string {
  if (causeCode === undefined) return `${message}: ${is}`;
  const seen = causeCode.startsWith('PROXY_') ? `: ${causeMessage ?? message}` : ` (${causeCode})`;
  return `${new URL(baseUrl).host}: ${is}${seen}`;
}

const askGateway: Step = { says: "Ask the gateway's people. The workers wait, and go on automatically." };

function causeOfStatus({ httpStatus = 0, said, message }: ReadFailure, baseUrl: string): Cause {
  const words = said === undefined ? '' : `: "${said}"`;
  if (httpStatus === 401) {
    return {
      says: `the gateway refuses the token (401${words}): it expired, was revoked, or is another gateway's`,
      next: newToken,
    };
  }
  if (httpStatus === 403) {
    return {
      says: `the token lacks a permission (403${words})`,
      next: after('Give it the permission at the gateway, or:', newToken),
    };
  }
  if (httpStatus === 404 || httpStatus === 410) {
    return { says: `${baseUrl} does not know it (${httpStatus}${words})`, next: deployAddress };
  }
  if (httpStatus === 429) {
    return { says: `the gateway asks for a pause (429${words})`, next: { says: 'Try again in a minute.' } };
  }
  if (httpStatus >= 500) return { says: `the gateway is in trouble (${httpStatus}${words})`, next: askGateway };
  return { says: `${message}${words}`, next: askGateway };
}
