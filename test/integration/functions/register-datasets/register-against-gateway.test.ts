import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGatewayProbe } from '#functions/_gateway/gateway-access.ts';
import { aroundPosts, createGatewayWithin } from '#functions/_gateway/gateway-calls.ts';
import { resolveRepeat } from '#operator/parked/resolve-parked.ts';
import { quietLog } from '../../../builders/ports.ts';
import { runningGateway, type TestGateway, token } from '../../../contract/gateway/running-gateway.ts';
import {
  createUploadBench,
  fileRule,
  type UploadBench,
} from '../../../unit/functions/register-datasets/upload-bench.ts';

const upload = { key: 'datasets/pii/Übersicht 1+1 %.csv', versionId: 'v1' };

let gateway: TestGateway;
let bench: UploadBench;
let tokens: string[];

/** The worker with the real client; the ledger, S3, queue and bus stay in memory. */
function connect(baseUrl: string): void {
  const tokenProvider = {
    get: async () => tokens[0] ?? '',
    refresh: async () => {
      if (tokens.length > 1) tokens.shift();
      return tokens[0] ?? '';
    },
  };
  bench.deps.gatewayWithin = createGatewayWithin({ baseUrl, tokenProvider, log: quietLog }, aroundPosts);
}

async function datasetsOf(of: TestGateway) {
  return (await of.get('/_control/datasets')).body.datasets ?? [];
}

/** The statuses of the requests about this path. */
async function statusesOf(part: string) {
  const { requests = [] } = (await gateway.get('/_control/requests')).body;
  return requests.filter(({ path }) => path.includes(part)).map(({ status }) => status);
}

beforeEach(async () => {
  gateway = await runningGateway({ profile: 'interface' });
  bench = createUploadBench();
  tokens = [token];
  connect(gateway.url);
});

afterEach(async () => {
  await gateway.close();
});

describe('register-datasets against the embedded gateway', () => {
  it('registers it once in the end when it was reset before it was applied and a person approves the repeat', async () => {
    await gateway.arm({ match: { path: 'createDataset' }, reset: true, apply: 'never' });
    const body = bench.put(upload);
    await bench.deliver(body);

    const decision = { by: 'ann', reason: 'not there', at: new Date(bench.state.nowMs) };
    await bench.decide(upload, (row) => resolveRepeat(row, decision));
    const results = [await bench.deliver(body), await bench.deliver(body)];

    expect(results).toMatchObject([{ outcomes: [{ kind: 'applied' }] }, { kind: 'done', outcomes: [] }]);
    expect(await datasetsOf(gateway)).toHaveLength(1);
  });
});

describe('register-datasets, of a rule that sends the file, against the embedded gateway', () => {
  const body = `prompt,label\n${`${'long '.repeat(10_000)},true\n`.repeat(60)}what is the time?,false\n`;
  const large = { ...upload, body };

  beforeEach(() => {
    bench = createUploadBench({ rules: [fileRule] });
    // In pieces as large as those of a socket.
    bench.faults.stream = async function* () {
      yield* chunksOf(Buffer.from(body));
    };
    connect(gateway.url);
  });

  it('brings megabytes there byte by byte, under the name of the file', async () => {
    const result = await bench.deliver(bench.put(large));

    const file = {
      name: 'Übersicht 1+1 %.csv',
      sizeBytes: Buffer.byteLength(body),
      sha256: createHash('sha256').update(body).digest('hex'),
    };
    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(await datasetsOf(gateway)).toMatchObject([
      { file, fileId: null, name: 'Übersicht 1+1 %', scannerId: 'scanner-1' },
    ]);
  });

  it('sends the whole file again after a 401, with the new token', async () => {
    tokens = ['revoked', token];

    const result = await bench.deliver(bench.put(large));

    expect(result).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(await datasetsOf(gateway)).toMatchObject([{ file: { sizeBytes: Buffer.byteLength(body) } }]);
    expect(await statusesOf('/datasets')).toEqual([401, 200]);
  });
});

function* chunksOf(bytes: Buffer): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}

function provider(text: string) {
  return { get: async () => text, refresh: async () => text };
}

describe('the probe, which is the smoke check too', () => {
  it('is content with a gateway that knows the token, and names what is wrong with another', async () => {
    const good = createGatewayProbe({ baseUrl: gateway.url, token: provider(token), log: quietLog });
    const bad = createGatewayProbe({ baseUrl: gateway.url, token: provider('wrong'), log: quietLog });

    await expect(good()).resolves.toBeUndefined();
    await expect(bad()).rejects.toThrow('401');
  });

  it('reads the token again first: after a rotation one request finds that the gateway is back', async () => {
    const rotated = { get: async () => 'revoked', refresh: async () => token };

    await createGatewayProbe({ baseUrl: gateway.url, token: rotated, log: quietLog })();

    expect(await statusesOf('scanner-packages')).toEqual([200]);
  });
});
