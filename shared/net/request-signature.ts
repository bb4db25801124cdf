/**
 * Signature Version 4 by AWS's own signer, for requests that no client of the SDK makes. A stage on
 * one machine signs what it received once more to verify it (local/aws/wire/signature.ts).
 */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

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
  /** By lower-case name; every one is signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

/** The headers of a request, signed; `host` is among them. */
export async function signedHeadersOf(
  { method, url, headers, body }: SignedRequest,
  { key, region, service, now }: { key: AccessKey; region: string; service: string; now: Date },
): Promise<Record<string, string>> {
  const signer = new SignatureV4({
    credentials: key,
    region,
    service,
    sha256: Sha256,
    // Every service but S3 encodes the path that was sent once more.
    uriEscapePath: service !== 's3',
    applyChecksum: false,
  });
  const [path = '/', query = ''] = url.split(/\?(.*)/s, 2);
  const request = { method, protocol: 'http:', hostname: '', path, query: queryOf(query), headers, body };
  // Named, or the signer would leave some of them out.
  const signableHeaders = new Set(Object.keys(headers));
  return (await signer.sign(request, { signingDate: now, signableHeaders })).headers;
}

/** A plus sign is no space here: clients write a space as `%20`. */
function queryOf(text: string): Record<string, string[]> {
  const pairs = text.split('&').filter((pair) => pair !== '');
  const decoded = pairs.map((pair) => pair.split(/=(.*)/s, 2).map(decodeURIComponent));
  const byName = Map.groupBy(decoded, ([name = '']) => name);
  return Object.fromEntries([...byName].map(([name, of]) => [name, of.map(([, value = '']) => value)]));
}

/** A request that no client of the SDK makes: `host` is added to its headers. */
type UnsignedRequest = Pick<SignedRequest, 'method' | 'url'> & {
  readonly headers?: SignedRequest['headers'];
  readonly body?: string;
};

/** Signs a request, and sends it to the endpoint of a service. */
export async function signedFetch(
  endpoint: string,
  { method, url, headers = {}, body = '' }: UnsignedRequest,
  by: { readonly key: AccessKey; readonly region: string; readonly service: string; readonly signal?: AbortSignal },
): Promise<Response> {
  const request = { method, url, headers: { host: new URL(endpoint).host, ...headers }, body };
  const signed = await signedHeadersOf(request, { ...by, now: new Date() });
  return fetch(`${endpoint}${url}`, { method, headers: signed, signal: by.signal, ...(body === '' ? {} : { body }) });
}
