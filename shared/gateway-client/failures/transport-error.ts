import type { Redact } from '../../text/redact.ts';
import { visibleTextWithin } from '../../text/visible-text.ts';
import { outOfTime, type WireResult } from '../transport/transport.ts';
import {
  CertificateError,
  ConnectionLostError,
  type GatewayError,
  GatewayTimeoutError,
  NotSentError,
} from './errors.ts';

const certificateCodes: ReadonlySet<string> = new Set([
  'AUTHORITY_AND_ISSUER_SERIAL_NUMBER_MISMATCH',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The error for an exchange without an answer. What was sent decides the class. */
export function transportError(
  what: string,
  { requestSent, brokenBy }: Pick<WireResult, 'requestSent' | 'brokenBy'>,
  redact: Redact,
): GatewayError {
  const isOutOfTime = brokenBy === outOfTime;
  const cause = isOutOfTime ? undefined : plainCause(brokenBy, redact);
  const code = codeOf(brokenBy);
  if (!requestSent) return isCertificateCode(code) ? new CertificateError(what, cause) : new NotSentError(what, cause);
  if (isOutOfTime || code === 'UND_ERR_HEADERS_TIMEOUT') {
    return new GatewayTimeoutError(what, { phase: 'headers', cause });
  }
  return new ConnectionLostError(what, cause);
}

/**
 * The cause as code and message alone: undici's own errors carry sockets and what was received on
 * them.
 */
export function plainCause(caught: unknown, redact: Redact): Error | undefined {
  if (caught === undefined) return undefined;
  const error = innermost(caught);
  const message = error instanceof Error ? error.message : 'no error was given';
  const plain = new Error(visibleTextWithin(redact(message), 300));
  const code = message === undiciOn100 ? 'UNASKED_CONTINUE' : codeOf(error);
  return code === undefined ? plain : Object.assign(plain, { code });
}

// With two addresses of one host node throws an AggregateError without a message of its own.
function innermost(caught: unknown): unknown {
  return caught instanceof AggregateError && caught.message === '' ? (caught.errors[0] ?? caught) : caught;
}

/** undici 8 ends a connection at a 100 that no request asked for, with the code of any end. */
const undiciOn100 = 'bad response';

function isCertificateCode(code: string | undefined): boolean {
  return code !== undefined && (certificateCodes.has(code) || /^(?:CERT_|CRL_|ERR_TLS_CERT)/.test(code));
}

/** The code of an error, if it has one. */
export function codeOf(caught: unknown): string | undefined {
  if (typeof caught !== 'object' || caught === null || !('code' in caught)) return undefined;
  return typeof caught.code === 'string' ? caught.code : undefined;
}
