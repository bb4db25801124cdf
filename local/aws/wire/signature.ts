/**
 * Verifies the signature of a request, as AWS does: the request is signed again with the secret of
 * its key. Each user of the machine reaches the port of a stage (ADR 38). Rules: IAM User Guide,
 * "Create a signed AWS API request".
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isSameText } from '#shared/net/loopback.ts';
import { signedHeadersOf } from '#shared/net/request-signature.ts';
import { AwsError } from '../aws-error.ts';

/** A request as it arrived, without its body. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** What its `Authorization` header says. */
export interface Claim {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/** Whose signatures are good, and when. */
export interface SignatureRules {
  readonly secretOf: (accessKeyId: string) => string;
  /**
   * The times, in milliseconds since 1970, that a date may be near: the machine's, and those that
   * the stage has shown. A client follows the clock of its stage, which can be moved.
   */
  readonly times: () => readonly number[];
}

/** AWS's own limit (IAM User Guide, "Signature Version 4 request signature: time"). */
const longestSkewMs = 15 * 60_000;

const authorizationForm =
  /^AWS4-HMAC-SHA256 Credential=(.+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** Reads the header; `undefined` if it holds no signature. */
export function claimOf({ authorization = '' }: IncomingHttpHeaders): Claim | undefined {
  const [whole, accessKeyId = '', , region = '', service = '', names = '', signature = ''] =
    authorizationForm.exec(authorization) ?? [];
  if (whole === undefined) return undefined;
  return { accessKeyId, region, service, signedHeaders: names.split(';'), signature };
}

/**
 * Refuses a request that the owner of its key did not sign: its method, path, query, body, host and
 * each header that services read.
 * @throws AwsError SignatureDoesNotMatch or RequestTimeTooSkewed
 */
export async function requireSigned(
  { method = 'GET', url = '/', headers: received }: RequestHead,
  body: Buffer,
  { secretOf, times }: SignatureRules,
): Promise<Claim> {
  const claim = claimOf(received);
  const now = dateIn(headerText(received['x-amz-date']));
  if (claim === undefined || now === undefined || !coversHeaders(received, claim)) throw notSigned();
  requireDigest(received, body);
  const { accessKeyId, region, service, signature } = claim;
  const key = { accessKeyId, secretAccessKey: secretOf(accessKeyId) };
  const headers = Object.fromEntries(claim.signedHeaders.map((name) => [name, headerText(received[name])]));
  const request = { method, url, headers, body };
  const again = await signedHeadersOf(request, { key, region, service, now }).catch(() => undefined);
  const wanted = claimOf(again ?? {})?.signature;
  if (wanted === undefined || !isSameText(signature, wanted)) throw notSigned();
  if (!times().some((time) => Math.abs(now.getTime() - time) <= longestSkewMs)) throw tooOld();
  return claim;
}

/** What AWS wants signed, if it is there. */
function isActedOn(header: string): boolean {
  return header === 'host' || header === 'content-type' || header.startsWith('x-amz-');
}

/** Who can change a header that is not signed changes what the request asks for. */
function coversHeaders(headers: IncomingHttpHeaders, { signedHeaders }: Claim): boolean {
  return Object.keys(headers).every((name) => !isActedOn(name) || signedHeaders.includes(name));
}

/** If the header is there, it is signed in the place of the body. S3 also takes words for a body that is not signed. */
function requireDigest(headers: IncomingHttpHeaders, body: Buffer): void {
  const digest = headers['x-amz-content-sha256'];
  if (digest === undefined || digest === createHash('sha256').update(body).digest('hex')) return;
  throw new AwsError(
    'XAmzContentSHA256Mismatch',
    'x-amz-content-sha256 is not the digest of the body. The stage takes signed bodies only: send it whole, and not as a stream.',
    403,
  );
}

function dateIn(text: string): Date | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year = 0, month = 1, ...rest] = parts;
  return new Date(Date.UTC(year, month - 1, ...rest));
}

function headerText(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header ?? []).join(', ');
}

function notSigned(): AwsError {
  return new AwsError(
    'SignatureDoesNotMatch',
    'The request is not signed with a key of this stage: its key is in the file "credentials" of its folder (AWS_SHARED_CREDENTIALS_FILE).',
    403,
  );
}

function tooOld(): AwsError {
  return new AwsError(
    'RequestTimeTooSkewed',
    'The difference between the request time and the clocks of the machine and of the stage is more than 15 minutes.',
    403,
  );
}
