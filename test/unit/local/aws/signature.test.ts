import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RequestHead, requireSigned } from '#local/aws/wire/signature.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { keyNamed, newKey } from '#shared/net/loopback.ts';
import { type AccessKey, signedHeadersOf } from '#shared/net/request-signature.ts';

type ReceivedRequest = RequestHead & { readonly method: string; readonly url: string; readonly body: Buffer };

const key = newKey();
const machineTime = Date.parse('2026-11-27T12:00:00Z');
const minutes = 60_000;

/** What a client sends, signed at a time of the machine's clock. */
async function sent(
  { method = 'POST', url = '/', headers = {}, body = '{}' }: Partial<ReturnType<typeof partsOf>> = {},
  { by = key, at = machineTime, service = 'sqs' }: { by?: AccessKey; at?: number; service?: string } = {},
): Promise<ReceivedRequest> {
  const request = { method, url, headers: { host: '127.0.0.1:4566', ...headers }, body };
  const signed = await signedHeadersOf(request, { key: by, region: 'eu-west-1', service, now: new Date(at) });
  return { method, url, headers: signed, body: Buffer.from(body) };
}

const secretOf = (id: string) => (id === key.accessKeyId ? key : keyNamed(id, key)).secretAccessKey;

/** Asks whether a stage with this key takes the request; `SIGNED`, or the code of the refusal. */
async function verdictOn(request: ReceivedRequest, times: readonly number[] = [machineTime]): Promise<string> {
  return requireSigned(request, request.body, { secretOf, times: () => times }).then(
    () => 'SIGNED',
    (error: unknown) => String(Reflect.get(Object(error), 'code')),
  );
}

const letters = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const partsOf = (method: string, url: string, headers: Record<string, string>, body: string) => ({
  method,
  url,
  headers,
  body,
});
const requests = fc
  .tuple(letters, letters, letters, fc.string({ minLength: 1, unit: 'binary-ascii' }), fc.boolean())
  .map(([path, name, value, body, hasDigest]) => {
    const digest = { 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') };
    const headers = { 'content-type': `text/${value}`, 'x-amz-target': value, 'if-match': name };
    return partsOf(
      'POST',
      `/${path}/a%20b?${name}=${value}&list`,
      hasDigest ? { ...headers, ...digest } : headers,
      body,
    );
  });

/** The text with another letter or digit at one place; percent-encoding knows no case. */
function changedAt(text: string, place: number, by: string): string {
  const index = place % text.length;
  const other = text[index]?.toLowerCase() === by ? '-' : by;
  return `${text.slice(0, index)}${other}${text.slice(index + 1)}`;
}

describe('a request', () => {
  // A captured signature used to sign any body, since only the header with its digest was read.
  test('is refused after a change of any one byte of its method, path, query, headers or body', async () => {
    const changes = fc.tuple(fc.nat(1000), fc.constantFrom(...'abcdefxyz0123456789'.split('')));
    await fc.assert(
      fc.asyncProperty(requests, changes, fc.constantFrom('sqs', 's3'), async (parts, [place, by], service) => {
        const request = await sent(parts, { service });
        expect(await verdictOn(request)).toBe('SIGNED');
        const { method, url, headers, body } = request;
        const changed: ReceivedRequest[] = [
          { ...request, method: changedAt(method, place, by) },
          { ...request, url: changedAt(url, place, by) },
          { ...request, body: Buffer.from(changedAt(body.toString('latin1'), place, by), 'latin1') },
          { ...request, body: Buffer.concat([body, Buffer.from(by)]) },
          ...Object.entries(headers)
            .filter(([name]) => name !== 'authorization')
            .map(([name, value]) => ({
              ...request,
              headers: { ...headers, [name]: changedAt(String(value), place, by) },
            })),
        ];
        for (const one of changed)
          expect({ one, verdict: await verdictOn(one) }).not.toMatchObject({ verdict: 'SIGNED' });
      }),
      propertyRuns(40),
    );
  });

  test.each([
    ['with a header of AWS that is not signed', { 'x-amz-copy-source': 'bucket/secret' }],
    ['with a second date', { 'x-amz-date': '20261127T120000Z, 20261127T120000Z' }],
  ])('is refused: one %s', async (_, header) => {
    const request = await sent();

    expect(await verdictOn({ ...request, headers: { ...request.headers, ...header } })).toBe('SignatureDoesNotMatch');
  });

  test.each(['UNSIGNED-PAYLOAD', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'])(
    'is refused whose body is not signed: %s',
    async (digest) => {
      const request = await sent({ headers: { 'x-amz-content-sha256': digest } }, { service: 's3' });

      expect(await verdictOn(request)).toBe('XAmzContentSHA256Mismatch');
    },
  );

  test('is refused whose query or path is no percent-encoding', async () => {
    const request = await sent();

    expect(await verdictOn({ ...request, url: '/?a=%zz' })).toBe('SignatureDoesNotMatch');
  });
});

// The id is no part of what is signed, and all ids had one secret.
test('a name is not changed into another by who has no secret of that one', async () => {
  const reader = await sent({}, { by: keyNamed('POLICY-Reader', key) });
  const as = (id: string) => ({
    ...reader,
    headers: { ...reader.headers, authorization: reader.headers.authorization?.replace('POLICY-Reader', id) },
  });

  expect(await verdictOn(reader)).toBe('SIGNED');
  expect(await verdictOn(as('POLICY-Operator'))).toBe('SignatureDoesNotMatch');
  expect(await verdictOn(as(key.accessKeyId))).toBe('SignatureDoesNotMatch');
});

const later = machineTime + 8 * 60 * minutes;

test.each([
  ['of the clock of the machine', machineTime, 'SIGNED'],
  ['of a clock that the stage has shown', later, 'SIGNED'],
  ['15 minutes before', machineTime - 15 * minutes, 'SIGNED'],
  ['more than 15 minutes before', machineTime - 16 * minutes, 'RequestTimeTooSkewed'],
  ['more than 15 minutes after', later + 16 * minutes, 'RequestTimeTooSkewed'],
  ['between the two clocks', machineTime + 4 * 60 * minutes, 'RequestTimeTooSkewed'],
])('a signature is good for 15 minutes: %s', async (_, at, verdict) => {
  expect(await verdictOn(await sent({}, { at }), [machineTime, later])).toBe(verdict);
});
