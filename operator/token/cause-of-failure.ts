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
  const { code } = failure;
  if (code === 'BAD_STATUS') return causeOfStatus(failure, baseUrl);
  if (code === 'CERTIFICATE') return causeOfCertificate(failure, baseUrl);
  if (code === 'NOT_SENT') return causeOfConnection(failure, baseUrl);
  if (code === 'REDIRECT') {
    return { says: `${failure.message}, and a token is never sent after it`, next: deployAddress };
  }
  if (code === 'BAD_BODY') {
    return {
      says: `${baseUrl} answers, but not as the gateway's interface does: ${failure.message}`,
      next: after('Is it a login page or a proxy?', deployAddress),
    };
  }
  if (code === 'TIMEOUT' || code === 'CONNECTION_LOST') {
    return { says: `${baseUrl} takes requests and does not answer them: ${failure.message}`, next: askGateway };
  }
  return { says: failure.message, next: askGateway };
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

/** Node's and OpenSSL's codes for a chain that ends at an authority unknown here. */
const unknownAuthority: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function causeOfCertificate({ causeCode = '' }: ReadFailure, baseUrl: string): Cause {
  const whose = `the certificate of ${new URL(baseUrl).host}`;
  if (unknownAuthority.has(causeCode)) {
    return {
      says: `${whose} is signed by an authority that the workers do not know (${causeCode})`,
      next: { says: "Set gateway.caBundle to that authority's certificate and deploy." },
    };
  }
  if (causeCode === 'ERR_TLS_CERT_ALTNAME_INVALID' || causeCode === 'HOSTNAME_MISMATCH') {
    return { says: `${whose} is for another name (${causeCode})`, next: deployAddress };
  }
  return {
    says: `${whose} is not to be trusted (${causeCode})`,
    next: { says: "Ask the gateway's people to renew it." },
  };
}

const unknownName: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const noWay: ReadonlySet<string> = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);

function causeOfConnection({ causeCode = '', causeMessage, message }: ReadFailure, baseUrl: string): Cause {
  const { host, hostname } = new URL(baseUrl);
  if (unknownName.has(causeCode)) {
    return {
      says: `the name ${hostname} is not known (${causeCode})`,
      next: after('Is its DNS private? If not:', deployAddress),
    };
  }
  if (causeCode === 'PROXY_TUNNEL') {
    return {
      says: causeMessage ?? message,
      next: { says: 'Correct gateway.proxy in automation.config.ts and deploy.' },
    };
  }
  if (causeCode === 'PROXY_NO_WAY') {
    return {
      says: `the proxy finds no way to ${host}: ${causeMessage ?? message}`,
      next: {
        says: `Is the gateway up, and gateway.baseUrl right? The proxy itself answers. If so, ask its people to let ${host} through.`,
      },
    };
  }
  if (causeCode === 'ECONNREFUSED') {
    return { says: `nothing listens at ${host} (${causeCode}): the gateway is down`, next: askGateway };
  }
  if (noWay.has(causeCode)) {
    return {
      says: `no connection to ${host} (${causeCode})`,
      next: { says: 'Is the gateway up, and may the functions reach it (subnets, security groups, proxy)?' },
    };
  }
  if (causeCode.startsWith('ERR_SSL') || causeCode === 'EPROTO') {
    return { says: `what listens at ${host} does not speak TLS (${causeCode})`, next: deployAddress };
  }
  return { says: `${host} cannot be reached: ${causeMessage ?? message}`, next: askGateway };
}
