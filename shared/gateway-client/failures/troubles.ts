/**
 * What stands between us and the gateway, in words for people. Each has a code, a status or a shape, what it is, what happens automatically
 * and what to do. The one table: rows, doctor, status and the runbook take their words from it.
 */
import type { Speaker } from './error-details.ts';

/** One kind of trouble. */
export interface Trouble {
  /** How it shows: the codes and statuses that lead to it. */
  readonly shows: string;
  /** What it is, as the end of a sentence. */
  readonly is: string;
  /** What happens without a person. */
  readonly automatic: string;
  readonly next: { readonly says: string; readonly command?: readonly string[] };
}

const waits =
  'Nothing was done. The work waits and is tried again; the third subject that fails in a row closes the gate.';
const closes = 'Nothing was done. The gate closes at once, and the work waits until a probe is answered.';
const inDoubt =
  'A start or stop is sent again. An upload that was sent is parked, and the third of them closes the gate.';

const edgePeople = 'Ask the people of the firewall, proxy or tunnel before the gateway to let the functions through.';
const correctAddress = 'Correct gateway.baseUrl in automation.config.ts and deploy.';
const renewCertificate = "Ask the gateway's people";

/** Every kind, by its name. */
export const troubles = {
  'edge-refuses': {
    shows: '403, 404, 410 or 451 with a web page, text or foreign JSON',
    is: 'something before the gateway refuses; its token or address may be refused there',
    automatic: waits,
    next: { says: `${edgePeople} If the address is wrong: correct gateway.baseUrl and deploy.` },
  },
  'edge-refuses-request': {
    shows: '400, 405, 406, 411, 413, 414, 415, 422, 431, 501 or 505 with the same',
    is: 'something before the gateway refuses this request, for its form or size',
    automatic:
      'Nothing was done. An upload is parked EDGE_REFUSED at the third such answer within an hour. A start waits out its validity, a stop a day.',
    next: { says: 'Ask the people of the firewall or proxy before the gateway which rule refuses it.' },
  },
  'edge-answers': {
    shows: '409, 412, 428, 499, another 5xx or an unknown status, with the same or no body',
    is: 'something before the gateway answers in its place, such as a tunnel that is down',
    automatic: inDoubt,
    next: { says: 'Ask the people of the tunnel, firewall or proxy before the gateway whether it reaches it.' },
  },
  'edge-wants-pause': {
    shows: '408, 425, 429, or 503 with Retry-After, with the same',
    is: 'something before the gateway asks for a pause',
    automatic: 'Nothing was done. Every worker waits for as long as it is asked to.',
    next: { says: 'Nothing to do. If it lasts, lower gateway.requestsPerSecond and deploy.' },
  },
  'edge-refuses-token': {
    shows: '401 with the same',
    is: 'something before the gateway refuses the token',
    automatic: closes,
    next: { says: 'Put in a token that it takes.', command: ['autopilot', 'token', 'set'] },
  },
  redirect: {
    shows: 'REDIRECT',
    is: 'something before the gateway sends its callers elsewhere, such as to a login page; no token follows',
    automatic: closes,
    next: { says: `If the address is wrong: correct gateway.baseUrl and deploy. ${edgePeople}` },
  },
  'proxy-credentials': {
    shows: '407',
    is: 'a proxy asks for credentials, and none are ever sent to it',
    automatic: closes,
    next: { says: 'Let the proxy know the functions by their network.' },
  },
  misdirected: {
    shows: '421',
    is: 'the connection leads to a server that is not for this host',
    automatic: `${waits} The next try has a new connection.`,
    next: { says: correctAddress },
  },
  'foreign-answer': {
    shows: 'FOREIGN_BODY: a 2xx whose body is not JSON',
    is: 'something before the gateway answers with its own page, such as a login page',
    automatic: `${inDoubt} A read closes the gate at once.`,
    next: { says: edgePeople },
  },
  'unasked-continue': {
    shows: 'UNASKED_CONTINUE',
    is: 'a "100 Continue" came that was not asked for, and no answer can be read after it',
    automatic: `${inDoubt} Here the first of them closes it.`,
    next: { says: 'Ask the people of the proxy before the gateway to send no 100 Continue without Expect.' },
  },
  'headers-too-large': {
    shows: 'UND_ERR_HEADERS_OVERFLOW',
    is: 'the headers of its answer are over 64 KB',
    automatic: inDoubt,
    next: { says: 'Ask the people of the gateway, or of the proxy before it, which headers it adds.' },
  },
  'not-http': {
    shows: 'HPE_…',
    is: 'its answer breaks the rules of HTTP/1.1',
    automatic: inDoubt,
    next: { says: 'Ask the people of the gateway, or of the proxy before it, with the code and the time.' },
  },
  expired: {
    shows: 'CERT_HAS_EXPIRED, CERT_NOT_YET_VALID',
    is: 'its certificate has expired, or is not valid yet',
    automatic: closes,
    next: { says: `${renewCertificate} to renew it.` },
  },
  'wrong-host': {
    shows: 'ERR_TLS_CERT_ALTNAME_INVALID, HOSTNAME_MISMATCH',
    is: 'its certificate is for another host',
    automatic: closes,
    next: { says: correctAddress },
  },
  'missing-intermediate': {
    shows: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    is: 'it does not send the intermediate certificate of its authority',
    automatic: closes,
    next: {
      says: `${renewCertificate} to send the whole chain, or set gateway.caBundle to the missing certificate and deploy.`,
    },
  },
  'unknown-issuer': {
    shows:
      'SELF_SIGNED_CERT_IN_CHAIN, DEPTH_ZERO_SELF_SIGNED_CERT, UNABLE_TO_GET_ISSUER_CERT, UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    is: 'its certificate is signed by an authority that the functions do not know',
    automatic: closes,
    next: { says: "Set gateway.caBundle to that authority's certificate and deploy." },
  },
  'other-certificate': {
    shows: 'CERTIFICATE with another code',
    is: 'its certificate cannot be trusted',
    automatic: closes,
    next: { says: `${renewCertificate} with the code.` },
  },
  'wants-certificate': {
    shows: 'ERR_SSL_…_CERTIFICATE_REQUIRED, …_HANDSHAKE_FAILURE, …_BAD_CERTIFICATE',
    is: 'it wants a certificate of its client, and the functions have none',
    automatic: `${waits} In TLS 1.3 it says so after the request, which may then have had its effect.`,
    next: { says: 'Ask its people for a way without a client certificate.' },
  },
  'no-tls': {
    shows: 'ERR_SSL_WRONG_VERSION_NUMBER, ERR_SSL_PACKET_LENGTH_TOO_LONG, EPROTO',
    is: 'what listens there does not speak TLS',
    automatic: waits,
    next: { says: correctAddress },
  },
  'http2-only': {
    shows: 'ERR_SSL_…_NO_APPLICATION_PROTOCOL',
    is: 'it speaks HTTP/2 alone, and the functions speak HTTP/1.1',
    automatic: waits,
    next: { says: 'Ask its people to offer HTTP/1.1 too.' },
  },
  'unknown-name': {
    shows: 'ENOTFOUND, EAI_AGAIN',
    is: 'its name is not known',
    automatic: waits,
    next: { says: `Is its DNS private? If not: ${correctAddress.charAt(0).toLowerCase()}${correctAddress.slice(1)}` },
  },
  'nothing-listens': {
    shows: 'ECONNREFUSED',
    is: 'nothing listens there: the gateway is down',
    automatic: waits,
    next: { says: "Ask the gateway's people." },
  },
  'no-way': {
    shows: 'EHOSTUNREACH, ENETUNREACH, ETIMEDOUT, UND_ERR_CONNECT_TIMEOUT',
    is: 'no connection can be made',
    automatic: waits,
    next: { says: 'Is the gateway up, and may the functions reach it (subnets, security groups, proxy)?' },
  },
  'proxy-unusable': {
    shows: 'PROXY_TUNNEL',
    is: 'the configured proxy makes no tunnel',
    automatic: waits,
    next: { says: 'Correct gateway.proxy in automation.config.ts and deploy.' },
  },
  'proxy-no-way': {
    shows: 'PROXY_NO_WAY',
    is: 'the configured proxy finds no way to it',
    automatic: waits,
    next: {
      says: 'Is the gateway up, and gateway.baseUrl right? If so, ask the people of the proxy to let it through.',
    },
  },
} as const satisfies Record<string, Trouble>;

/** What is known of a request that failed, in the row and in an answer to doctor. */
export interface FailureFacts {
  readonly errorCode?: string | undefined;
  /** Of what lies below: `ECONNREFUSED`, `HPE_INVALID_HEADER_TOKEN`. */
  readonly causeCode?: string | undefined;
  readonly httpStatus?: number | undefined;
  /** Of a refusal: who made it, if not the gateway. */
  readonly speaker?: Speaker | undefined;
}

/** The kind of a failure; `undefined` if the gateway spoke, or if nothing more is known. Pure. */
export function troubleOf({ errorCode, causeCode = '', httpStatus, speaker }: FailureFacts): Trouble | undefined {
  if (errorCode === 'REDIRECT') return troubles.redirect;
  if (errorCode === 'FOREIGN_BODY') return troubles['foreign-answer'];
  if (httpStatus !== undefined && errorCode === 'BAD_STATUS') return troubleOfStatus(httpStatus, speaker);
  const byCode = byCause.find(([codes]) => codes.test(causeCode))?.[1];
  if (byCode !== undefined) return byCode;
  return errorCode === 'CERTIFICATE' ? troubles['other-certificate'] : undefined;
}

/** Statuses of an edge that concern this one request. */
export const ofOneRequest: ReadonlySet<number> = new Set([400, 405, 406, 411, 413, 414, 415, 422, 431, 501, 505]);
/** Statuses by which an edge refuses its callers. */
export const ofEveryCaller: ReadonlySet<number> = new Set([403, 404, 410, 451]);

const ofPause: ReadonlySet<number> = new Set([408, 425, 429]);

function troubleOfStatus(status: number, speaker: Speaker | undefined): Trouble | undefined {
  if (status === 407) return troubles['proxy-credentials'];
  if (status === 421) return troubles.misdirected;
  if (speaker === undefined) return undefined;
  if (status === 401) return troubles['edge-refuses-token'];
  if (ofPause.has(status)) return troubles['edge-wants-pause'];
  if (ofOneRequest.has(status)) return troubles['edge-refuses-request'];
  return ofEveryCaller.has(status) ? troubles['edge-refuses'] : troubles['edge-answers'];
}

/** Codes of OpenSSL and Node about a certificate that is not trusted. */
const byCertificate: readonly (readonly [RegExp, Trouble])[] = [
  [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, troubles.expired],
  [/^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/, troubles['wrong-host']],
  [/^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/, troubles['missing-intermediate']],
  [/SELF_SIGNED_CERT|^UNABLE_TO_GET_ISSUER_CERT/, troubles['unknown-issuer']],
  [
    /^(?:CERT_|CRL_|ERR_TLS_CERT|UNABLE_TO_DE|UNABLE_TO_GET_CRL$|AUTHORITY_AND_ISSUER_|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_)/,
    troubles['other-certificate'],
  ],
];

/** Whether a connection failed for the certificate of the other end. */
export function isCertificateCode(code = ''): boolean {
  return byCertificate.some(([codes]) => codes.test(code));
}

/** Codes of Node, OpenSSL and undici. */
const byCause: readonly (readonly [RegExp, Trouble])[] = [
  [/^UNASKED_CONTINUE$/, troubles['unasked-continue']],
  [/^UND_ERR_HEADERS_OVERFLOW$/, troubles['headers-too-large']],
  [/^HPE_/, troubles['not-http']],
  ...byCertificate,
  [/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE/, troubles['wants-certificate']],
  [/NO_APPLICATION_PROTOCOL/, troubles['http2-only']],
  [/^ERR_SSL|^EPROTO$/, troubles['no-tls']],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, troubles['unknown-name']],
  [/^ECONNREFUSED$/, troubles['nothing-listens']],
  [/^(?:EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, troubles['no-way']],
  [/^PROXY_TUNNEL$/, troubles['proxy-unusable']],
  [/^PROXY_NO_WAY$/, troubles['proxy-no-way']],
];
