import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BadBodyError, classifyFailure } from '#shared/gateway-client/index.ts';
import { canary, clientOf, server, thrownBy, uuid } from './clients.ts';

const dataset = { name: 'a', fileId: uuid };

/** A client of a gateway that answers each request with these bytes. */
async function clientAnswered(body: Buffer | string, headers: readonly string[] = [], status = 200) {
  const bytes = Buffer.from(body);
  const gateway = await server((socket) => {
    const lines = [
      `HTTP/1.1 ${status} Whatever`,
      'content-type: application/json',
      `content-length: ${bytes.length}`,
      ...headers,
    ];
    socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]));
  });
  return clientOf(gateway.baseUrl);
}

describe('a gateway that compresses although nothing is asked for', () => {
  const text = Buffer.from('{"id":"d-1"}');
  const codings = {
    gzip: gzipSync(text),
    'x-gzip': gzipSync(text),
    deflate: deflateSync(text),
    br: brotliCompressSync(text),
    zstd: zstdCompressSync(text),
    'gzip, br': brotliCompressSync(gzipSync(text)),
    identity: text,
  };

  // Each upload was a POST that was parked, with the gate open.
  it.each(Object.entries(codings))('is read: %s', async (coding, bytes) => {
    const client = await clientAnswered(bytes, [`content-encoding: ${coding}`]);

    expect(await client.createDataset(dataset)).toMatchObject({ id: 'd-1' });
  });

  it('is read if its deflate has no wrapper', async () => {
    const client = await clientAnswered(deflateRawSync(text), ['content-encoding: deflate']);

    expect(await client.createDataset(dataset)).toMatchObject({ id: 'd-1' });
  });

  it('is not unpacked beyond the size that is read', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 32));
    const client = await clientAnswered(bomb, ['content-encoding: gzip']);

    expect(await thrownBy(() => client.createDataset(dataset))).toMatchObject({ reason: 'too-big' });
  });

  it('is named in the error if its answer cannot be unpacked', async () => {
    const client = await clientAnswered('not gzip at all', ['content-encoding: gzip']);

    const error = await thrownBy(() => client.createDataset(dataset));

    expect(error).toMatchObject({ message: expect.stringContaining('the gateway or a proxy compresses: gzip') });
  });
});

describe('an answer to a new dataset', () => {
  it.each([
    ['a whole number', '{"id": 12345}', '12345'],
    ['below data', '{"data": {"id": "0198-a"}}', '0198-a'],
    ['a whole number below data', '{"data": {"id": 7}}', '7'],
    ['behind a byte order mark', '\uFEFF{"id":"0198-a"}', '0198-a'],
  ])('has its id: %s', async (_what, body, id) => {
    expect(await (await clientAnswered(body)).createDataset(dataset)).toMatchObject({ id });
  });

  it('that cannot be read is kept as evidence, at most 2 KB, without the token, and suspects an outage', async () => {
    const client = await clientAnswered(`{"token":"${canary}","uuid":"0198-a" ${'x'.repeat(5000)}`);

    const error = await thrownBy(() => client.createDataset(dataset));

    const verdict = classifyFailure('post', error);
    expect(verdict).toMatchObject({ next: 'park', reason: 'APPLIED_ID_UNKNOWN', suspectsOutage: true });
    expect(verdict.evidence.answer).toMatchObject({ contentType: 'application/json' });
    const { text = '' } = verdict.evidence.answer ?? {};
    expect(text).toContain('0198-a');
    expect(text).not.toContain(canary);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
  });
});

it('a 204 to a PATCH is applied, and no word is said of an unusable body', async () => {
  const client = await clientAnswered('', [], 204);

  const error = await thrownBy(() => client.updateCampaignRun({ campaignRunId: uuid, status: 'cancelled' }));

  expect(error).toBeInstanceOf(BadBodyError);
  expect(classifyFailure('patch', error)).toMatchObject({
    next: 'applied',
    why: 'PATCH /backend/v1/campaign-runs/{campaignRunId} was answered 204 without a body',
  });
});
