/**
 * Signature Version 4, by which AWS's clients sign each request. A stage on one machine checks it,
 * since every user of the machine reaches its port. Rules: IAM User Guide, "Create a signed AWS API
 * request".
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** An access key in the shape that AWS clients take. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A request as it is on the wire. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array | string;
}

/**
 * What a signature says of itself: the `Authorization` header, or the query of a presigned address.
 */
interface Claim {
  /** `20261120/eu-west-1/sqs/aws4_request` */
  readonly scope: string;
  readonly at: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/**
 * Whether a request is signed with this secret. Its age does not matter: the clock of a stage on
 * one machine can be moved.
 */
export function isSignedWith(secret: string, request: SignedRequest): boolean {
  const claim = claimOf(request);
  if (claim === undefined) return false;
  return isSameText(claim.signature, signatureOf(request, claim, secret));
}

/** Compares a signature or a proof in a time that says nothing about it. */
export function isSameText(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The headers of a request without the SDK, signed; `host` is among them. */
export function signedHeadersOf(
  request: SignedRequest,
  { key, region, service, now }: { key: AccessKey; region: string; service: string; now: Date },
): Record<string, string> {
  const at = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${at.slice(0, 8)}/${region}/${service}/aws4_request`;
  const headers = { ...request.headers, 'x-amz-date': at } as Record<string, string>;
  const signedHeaders = Object.keys(headers).toSorted();
  const signature = signatureOf({ ...request, headers }, { scope, at, signedHeaders }, key.secretAccessKey);
  const authorization = `${algorithm} Credential=${key.accessKeyId}/${scope}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`;
  return { ...headers, authorization };
}

const algorithm = 'AWS4-HMAC-SHA256';

function claimOf({ headers, url }: SignedRequest): Claim | undefined {
  const header = textOf(headers['authorization']);
  const query = queryOf(url);
  const fromHeader = (name: string) => new RegExp(`${name}=([^,\\s]+)`).exec(header)?.[1];
  const of = (name: string) => (header === '' ? query.get(`X-Amz-${name}`) : fromHeader(name));
  const [credential, signed, signature] = [of('Credential'), of('SignedHeaders'), of('Signature')];
  const at = textOf(headers['x-amz-date']) || query.get('X-Amz-Date');
  if (!credential || !signed || !signature || !at) return undefined;
  return { scope: credential.split('/').slice(-4).join('/'), at, signedHeaders: signed.split(';'), signature };
}

function signatureOf(request: SignedRequest, claim: Omit<Claim, 'signature'>, secret: string): string {
  const { scope, at } = claim;
  const toSign = [algorithm, at, scope, sha256(canonical(request, claim))].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((made, part) => hmac(made, part), `AWS4${secret}`);
  return hmac(key, toSign).toString('hex');
}

function canonical({ method, url, headers, body }: SignedRequest, { scope, signedHeaders }: Omit<Claim, 'signature'>) {
  const path = url.split('?', 1)[0] ?? '/';
  const query = queryOf(url);
  const isPresigned = query.has('X-Amz-Signature');
  const pairs = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const hash = textOf(headers['x-amz-content-sha256']) || (isPresigned ? 'UNSIGNED-PAYLOAD' : sha256(body));
  return [
    method,
    // Every service but S3 encodes the path that was sent once more.
    scope.endsWith('/s3/aws4_request') ? path : encoded(path).replaceAll('%2F', '/'),
    pairs.toSorted().join('&'),
    ...signedHeaders.map((name) => `${name}:${textOf(headers[name]).trim().replaceAll(/ +/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    hash,
  ].join('\n');
}

/** A plus sign is no space here: clients write a space as `%20`. */
function queryOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1).replaceAll('+', '%2B'));
}

/** RFC 3986: `encodeURIComponent` leaves five characters too many. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header ?? []).join(',');
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
