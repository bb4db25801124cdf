import { signedHeadersOf, type AccessKey, type SignedRequest } from './request-signature.ts';

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
