import { expect, onTestFinished } from 'vitest';
import type { Gate } from '#functions/_gateway/gate.ts';
import type { GatewayClientOptions } from '#shared/gateway-client/index.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { canary, clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { aWatch, createPollBench } from '../../unit/functions/poll-scanner-packages/poll-bench.ts';
import { createUploadBench, type UploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import {
  smokeId,
  aCommand,
  createUpdateBench,
} from '../../unit/functions/update-campaign-runs/harness/update-bench.ts';
import type { RawGateway } from './raw-gateway.ts';

/** I2: whatever happened, nothing was made twice. */
function madeNothingTwice(gateway: RawGateway): void {
  expect([...gateway.datasets.values()].filter((count) => count > 1)).toEqual([]);
}

/** I19: whatever is parked says why, what came in, when, and what a person can do. */
function parkedWithReasons(rows: readonly LedgerRow[]): void {
  for (const row of rows) {
    if (!('outcome' in row) || row.outcome?.kind !== 'parked') continue;
    const { reason, detail, at } = row.outcome;
    expect(reason, row.pk).toBeDefined();
    expect(parkReasons[reason as keyof typeof parkReasons].nextStep).not.toBe('');
    expect(detail, row.pk).toMatch(/\S/);
    expect(Buffer.byteLength(detail ?? '')).toBeLessThan(4096);
    expect(at).toMatch(/^\d{4}-/);
    expect(row.openState).toBe('PARKED');
    expect('parked' in row ? row.parked : undefined).toMatchObject({
      message: expect.stringMatching(/\S/),
      attempts: expect.any(Number),
      firstSeen: expect.any(String),
      lastSeen: expect.any(String),
    });
  }
}

/** I13: one call is at most three requests. */
function askedWithinBounds(gateway: RawGateway, method: 'POST' | 'PATCH', deliveries: number): void {
  const sent = gateway.requests.filter((request) => request.method === method);
  expect(sent.length).toBeLessThanOrEqual(3 * deliveries);
}

/** I18: the token was sent to the gateway and written nowhere. */
function keptTheToken(...written: readonly unknown[]): void {
  expect(canary).toMatch(/canary.*7f3a9c.*Zx\+token/);
  expect(JSON.stringify(written)).not.toMatch(/canary|7f3a9c|Zx\+token/);
}

/** The start that these tests are about, of a campaign that cannot be read. */
export const start = aCommand();

/**
 * The worker that changes runs, over real sockets. After the test it must have kept what holds
 * whatever happens: I13, I18 and I19.
 */
export function runsTo(gateway: RawGateway, options: Partial<GatewayClientOptions> & { readonly gate?: Gate } = {}) {
  const { gate, ...clientOptions } = options;
  const client = clientOf(gateway.baseUrl, clientOptions);
  const bench = createUpdateBench({ gateway: client, gate });
  let deliveries = 0;
  onTestFinished(() => {
    parkedWithReasons(bench.ledger.all());
    askedWithinBounds(gateway, 'PATCH', deliveries);
    keptTheToken(bench.ledger.all(), bench.events);
  });
  return {
    ...bench,
    deliver: (...args: Parameters<typeof bench.deliver>) => {
      deliveries += 1;
      return bench.deliver(...args);
    },
    /** Ids of the runs that count as in flight, those in doubt among them. */
    inFlight: async () => (await readRunsInFlight(bench.ledger)).map(({ entry }) => entry.campaignRunId),
    command: (id: string) => bench.ledger.read<CommandRow>(ledgerKeys.command(id)),
    /** The PATCH requests that arrived. */
    patches: () => gateway.requests.filter(({ method }) => method === 'PATCH'),
    /** What became of the run at the gateway. */
    transitions: () => gateway.transitions.map((transition) => transition.replace(`${smokeId}:`, '')),
  };
}

/** The upload that most of these tests are about. */
export const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };

/** The messages of so many other uploads, whose objects are there. */
export function putMany(bench: UploadBench, count: number): string[] {
  return Array.from({ length: count }, (_, index) => bench.put({ key: `datasets/pii/${index}.csv`, versionId: 'v1' }));
}

/**
 * The upload worker over real sockets; ledger, store, queue and bus stay in memory. After the test
 * it must have kept what holds whatever happens: I2, I13, I18 and I19.
 * @param options - of its client, over quick repeats and the default deadlines
 */
export function uploadsTo(
  gateway: RawGateway,
  options: Partial<GatewayClientOptions> & Parameters<typeof createUploadBench>[0] = {},
): UploadBench {
  const { rules, ...clientOptions } = options;
  const bench = createUploadBench(rules === undefined ? {} : { rules });
  const client = clientOf(gateway.baseUrl, {
    onRequest: (info) =>
      void bench.lines.push({
        level: 'debug',
        event: logEvents.gatewayRequest,
        sentence: info.method,
        fields: { ...info },
      }),
    ...clientOptions,
  });
  const { gatewayWithin } = bench.deps;
  bench.deps.gatewayWithin = (functionMs) => ({ ...gatewayWithin(functionMs), gateway: client });
  onTestFinished(() => {
    madeNothingTwice(gateway);
    parkedWithReasons(bench.ledger.all());
    askedWithinBounds(gateway, 'POST', bench.state.attempts);
    keptTheToken(bench.ledger.all(), bench.lines, bench.events, bench.commands);
  });
  return bench;
}

/**
 * Delivers messages as their queue does, each again after the delay that the worker asks for, until
 * all have ended or the time is over.
 * @returns how often each was delivered, and how many have not ended
 */
export async function workOff(
  bench: UploadBench,
  bodies: readonly string[],
  longestMs: number,
): Promise<{ readonly deliveries: readonly number[]; readonly open: number }> {
  const endMs = bench.state.nowMs + longestMs;
  const messages = bodies.map((body) => ({ body, dueMs: bench.state.nowMs, receiveCount: 0 }));
  for (;;) {
    const [next] = messages.toSorted((a, b) => a.dueMs - b.dueMs);
    if (next === undefined || next.dueMs > endMs) break;
    bench.pass(Math.max(0, next.dueMs - bench.state.nowMs));
    next.receiveCount += 1;
    const result = await bench.deliver(next.body, { receiveCount: next.receiveCount });
    next.dueMs = result.kind === 'done' ? Infinity : bench.state.nowMs + result.delayMs;
  }
  const open = messages.filter(({ dueMs }) => dueMs < Infinity).length;
  if (open > 0) bench.pass(endMs - bench.state.nowMs);
  return { deliveries: messages.map(({ receiveCount }) => receiveCount), open };
}

/**
 * The poll of one watch over real sockets. After the test it must have kept the token to itself.
 */
export function pollsOf(gateway: RawGateway, options: Partial<GatewayClientOptions> = {}) {
  const client = clientOf(gateway.baseUrl, options);
  const bench = createPollBench(aWatch());
  onTestFinished(() => {
    keptTheToken(bench.ledger.all(), bench.logged, bench.events, bench.commands);
  });
  return {
    ...bench,
    poll: () => bench.poll([], { deps: { gateway: client } }),
    /** The ids that the ledger knows, sorted. */
    known: () =>
      bench.ledger
        .all()
        .flatMap((row) => (row.kind === 'watch-packages' ? Object.keys(row.packages) : []))
        .toSorted(),
  };
}

/** The cursors of the listing's requests so far; undefined for a first page. */
export function cursorsOf(gateway: RawGateway): (string | undefined)[] {
  return gateway.requests.map(({ path }) => new URL(path, gateway.baseUrl).searchParams.get('cursor') ?? undefined);
}
