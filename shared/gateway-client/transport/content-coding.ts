import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { tooBig, type WireResult } from './transport.ts';

type Decode = (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** RFC 9110, section 8.4.1: some servers send a bare deflate stream under the name of the wrapped one. */
const decoders = new Map<string, Decode>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflated],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
]);

/** More layers than any server applies. */
const mostCodings = 3;

/**
 * The answer with its body unpacked, within the size that is read. A gateway or proxy may compress although none is asked for. A body that
 * cannot be unpacked stays as it came.
 * @param codings - the answer's `content-encoding`
 */
export function withoutCoding(result: WireResult, codings: string, maxBytes: number): WireResult {
  if (result.brokenBy !== undefined || result.body.length === 0) return result;
  let { body } = result;
  for (const coding of codings.toLowerCase().split(',').slice(0, mostCodings).toReversed()) {
    if (coding.trim() === 'identity') continue;
    const decode = decoders.get(coding.trim());
    if (decode === undefined) return result;
    try {
      body = decode(body, { maxOutputLength: maxBytes });
    } catch (error) {
      const isTooBig = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      return isTooBig ? { ...result, brokenBy: tooBig } : result;
    }
  }
  // What is left of the header would say that the body is still packed.
  return { ...result, headers: { ...result.headers, 'content-encoding': undefined }, body };
}

function inflated(body: Buffer, options: { readonly maxOutputLength: number }): Buffer {
  // The low four bits of a wrapped stream say so: RFC 1950, section 2.2.
  return ((body[0] ?? 0) & 0x0f) === 8 ? inflateSync(body, options) : inflateRawSync(body, options);
}
