/** I4, I8, I14: something before the gateway answers in its place, for hours. */
import { readFileSync } from 'node:fs';
import net, { type NetConnectOpts } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answerToken } from '#functions/answer-questions/token.ts';
import { needsOf } from '#operator/needs/needs.ts';
import { pendingCommand } from '#operator/outcomes/pending-work.ts';
import { everyFinding, tokenFindings } from '#operator/token/token-findings.ts';
import { createGatewayClient, troubleOf } from '#shared/gateway-client/index.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import { newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { aResolvedGateway } from '../../builders/resolved-gateway.ts';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { calm } from '../../builders/calm-status.ts';
import {
  afterApplying,
  answerWell,
  type Doing,
  page,
  redirectTo,
  refuse,
  sayBody,
  unaskedContinue,
  underHeaders,
} from '../bench/doings.ts';
import { stageGate } from '../bench/gates.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import { putMany, runsTo, start, upload, uploadsTo, workOff } from '../bench/workers.ts';

const minute = 60_000;
const hour = 60 * minute;
const text = { 'content-type': 'text/plain' };

type Case = readonly [name: string, doing: Doing];

/** It proves that nothing was done, and says nothing of this one request. */
const refusals: readonly Case[] = [
  ...[403, 404, 407, 410, 421, 451].map((status): Case => [`${status} with a page`, page(status)]),
  ['403 in plain text', page(403, 'error code: 1020', text)],
  ['403 in JSON that is not of the gateway', refuse(403, { ray: 'a1' })],
  ['401 with a page', page(401)],
  ['a redirect to a login page', redirectTo(302, 'https://login.example.com/')],
  ['305 with a page', page(305)],
  ['408 with a page', page(408)],
  ['503 with Retry-After and a page', page(503, undefined, { 'retry-after': '30' })],
];

/** It is about this one request: an upload may be parked EDGE_REFUSED. */
const ofOneRequest: readonly Case[] = [400, 405, 406, 411, 413, 414, 415, 422, 431, 501, 505].map((status): Case => [
  `${status} with a page`,
  page(status),
]);

/** It does not say whether the gateway has done it. */
const unproven: readonly Case[] = [
  ...[402, 409, 412, 418, 428, 499, 502, 507, 511, 530, 561, 599, 999].map((status): Case => [
    `${status} with a page`,
    page(status),
  ]),
  ['530 without a body', page(530, '')],
  ['499 with a page after the effect', afterApplying(page(499))],
  ['530 with a page after the effect', afterApplying(page(530))],
  ['303 with a page', page(303)],
  ['a web page as 200', page(200)],
  ['an unasked 100 Continue', unaskedContinue],
  ['headers of 70 KB', underHeaders(70 * 1024)],
  ['a broken header line', ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nbad header\r\n\r\n')],
];

async function uploadStage() {
  const gateway = await startRawGateway();
  const uploads = uploadsTo(gateway, { now: () => uploads.state.nowMs });
  const gate = stageGate({ gateway, ledger: uploads.ledger, now: () => new Date(uploads.state.nowMs) });
  uploads.deps.gate = gate.environment();
  let draws = 0;
  uploads.deps.random = () => ((draws += 1) * 0.618) % 1;
  /** `APPLIED`, or the reason why it is parked. */
  const ends = () =>
    uploads.ledger
      .all()
      .flatMap((row) => (row.kind === 'upload' ? [row.outcome?.reason ?? row.state] : []))
      .toSorted();
  return { gateway, uploads, gate, ends };
}

/** Twelve uploads meet the edge for two hours, then the gateway for as long as it takes. */
async function twelveUploads(doing: Doing) {
  const stage = await uploadStage();
  const { gateway, uploads, gate } = stage;
  const bodies = putMany(uploads, 12);
  gateway.always(doing);
  await workOff(uploads, bodies, 2 * hour);
  gateway.always(answerWell);
  const { open } = await workOff(uploads, bodies, 20 * hour);
  expect(open).toBe(0);
  expect((await gate.row())?.closed).toBeUndefined();
  return stage;
}

async function runStage() {
  const gateway = await startRawGateway();
  const ledger = createMemoryLedger();
  const gate = stageGate({ gateway, ledger, now: () => runs.now() }).environment();
  const runs = runsTo(gateway, { gate });
  /** Delivers a command as its queue does, until it has ended or the time is over. */
  async function work(command: Parameters<typeof runs.deliver>[0], longestMs: number, receiveCount = 1) {
    const sentAt = runs.now();
    for (let leftMs = longestMs; leftMs > 0; receiveCount += 1) {
      const result = await runs.deliver(command, { receiveCount, sentAt });
      if (result.kind === 'done') return result;
      leftMs -= result.delayMs;
      runs.passMs(result.delayMs);
    }
    return undefined;
  }
  return { gateway, runs, work };
}

describe('an edge that refuses', () => {
  it.each(refusals)('[A37] %s: each of 12 uploads is registered once, and none is parked', async (_name, doing) => {
    const { ends, gateway } = await twelveUploads(doing);

    expect(ends()).toEqual(Array(12).fill('APPLIED'));
    expect(gateway.datasets.size).toBe(12);
  });

  it.each(ofOneRequest)('[A37] %s: uploads end EDGE_REFUSED or registered, never in doubt', async (_name, doing) => {
    const { ends, gate } = await twelveUploads(doing);

    expect(new Set(ends())).toEqual(new Set(['EDGE_REFUSED']));
    expect(gate.counted.get(metricNames.gateClosed)).toBeUndefined();
  });

  it.each(unproven)(
    '[A38] %s: at most three of 12 uploads are in doubt, the rest are registered once',
    async (_n, doing) => {
      const { ends } = await twelveUploads(doing);

      const inDoubt = ends().filter((end) => end === 'POST_OUTCOME_UNKNOWN').length;
      expect(inDoubt).toBeGreaterThan(0);
      expect(inDoubt).toBeLessThanOrEqual(3);
      expect(ends().filter((end) => end === 'APPLIED')).toHaveLength(12 - inDoubt);
    },
  );

  it.each([...refusals, ...ofOneRequest, ...unproven])(
    '[A37 A38] %s: a planned stop waits for as long, and settles when the gateway answers',
    async (_name, doing) => {
      const { gateway, runs, work } = await runStage();
      await work(start, hour);
      runs.passMs(hour);
      const [stop] = await runs.plannedStops();
      if (stop === undefined) throw new Error('no stop is planned');

      gateway.always(doing);
      const during = await work(stop, 20 * minute);
      const row = await runs.command(stop.id);
      const held = await runs.inFlight();
      gateway.always(answerWell);
      const after = await work(stop, 10 * minute, 200);

      // After the effect a repeat of the stop changes nothing more.
      expect(during).toBeUndefined();
      expect(held).toHaveLength(1);
      expect(row?.attempt?.evidence?.requestSent).toBe(true);
      expect(after).toMatchObject({ outcomes: [{ kind: 'applied' }] });
      expect(runs.transitions()).toEqual(['starts', 'stops']);
    },
  );
});

const runbook = readFileSync('docs/runbook.md', 'utf8');

it.each<Case>([
  ['403 with a page', page(403)],
  ['413 with a page', page(413)],
  ['530 with a page', page(530)],
  ['407 with a page', page(407)],
  ['a redirect', redirectTo(302, 'https://login.example.com/')],
  ['a web page as 200', page(200)],
  ['an unasked 100 Continue', unaskedContinue],
  ['headers of 70 KB', underHeaders(70 * 1024)],
])('[A37] %s is told in the same words by the row, by status, by doctor and by the runbook', async (_name, doing) => {
  const { gateway, runs, work } = await runStage();
  await work(start, hour);
  const [stop = start] = await runs.plannedStops();
  gateway.always(doing);
  await runs.deliver(stop);

  const row = (await runs.command(stop.id)) ?? newCommandRow(stop, runs.now());
  const evidence = row.attempt?.evidence ?? {};
  const is = troubleOf(evidence)?.is ?? 'nothing is known';
  const at = new Date(runs.now().getTime() + 11 * minute);
  const pending = [pendingCommand(row)];
  const needs = needsOf({ ...calm, pending, now: at.toISOString() }).map(({ says }) => says);
  const doctor = everyFinding(tokenFindings(await askedOf(gateway.baseUrl), at)).map(({ says }) => says);

  const told = expect.stringContaining(is);
  expect([row.attempt?.lastError, pending[0]?.lastError, runbook]).toEqual([told, told, told]);
  expect(doctor).toContainEqual(told);
  // What an edge refuses is a need of its own; the others are an outage.
  expect(needs).toEqual(evidence.speaker === undefined ? [] : [told]);
});

const get = async () => 'token';

/** What a worker answers to `doctor`. */
function askedOf(baseUrl: string) {
  return answerToken(
    { ask: 'token' },
    {
      config: { gateway: aResolvedGateway({ baseUrl }), runs: {} },
      rateLimiter: { waitMs: () => 0, take: async () => {} },
      remainingMs: () => 30_000,
      fetchToken: async () => ({ token: 'token' }),
      trialOf: () => ({
        callBudgetMs: 1,
        gateway: createGatewayClient({ baseUrl, repeatGets: false, tokenProvider: { get, refresh: get } }),
      }),
    },
  );
}

describe('what is read all the same', () => {
  it.each<Case>([
    [
      'JSON that says text/html',
      (exchange) => sayBody(JSON.stringify(exchange.apply()), { 'content-type': 'text/html' })(exchange),
    ],
    ['20 KB of headers', underHeaders(20 * 1024)],
  ])('[A14] %s: an upload is registered', async (_name, doing) => {
    const { gateway, uploads, ends } = await uploadStage();
    gateway.always(doing);

    await uploads.deliver(uploads.put(upload));

    expect(ends()).toEqual(['APPLIED']);
  });
});

it('[A37] after a 421 the next request has a connection of its own', async () => {
  const gateway = await startRawGateway();
  const client = clientOf(gateway.baseUrl);
  for (const doing of [answerWell, answerWell, page(421), answerWell]) {
    gateway.next(doing);
    await client
      .listScannerPackages()
      .next()
      .catch(() => {});
    // A connection is free once its answer has been read to the end.
    await setImmediate();
  }

  const [, second, misdirected, after] = gateway.requests.map(({ connection }) => connection);
  expect([misdirected, after]).toEqual([second, (second ?? 0) + 1]);
});

it('[A3] each of several addresses has a second at least', async () => {
  const gateway = await startRawGateway();
  const made: unknown[] = [];
  const { connect } = net;
  net.connect = ((options: NetConnectOpts, ...rest: []) => {
    made.push(options);
    return connect(options, ...rest);
  }) as typeof connect;
  onTestFinished(() => void (net.connect = connect));

  await clientOf(gateway.baseUrl).listScannerPackages().next();

  expect(made).toEqual([expect.objectContaining({ autoSelectFamilyAttemptTimeout: 1000 })]);
});

it('[A35] a gateway whose own 403 is plain text works for all that it allows', async () => {
  const { gateway, uploads, ends } = await uploadStage();
  const forbidden = putMany(uploads, 4);
  const allowed = Array.from({ length: 8 }, (_, index) =>
    uploads.put({ key: `datasets/pii/ok-${index}.csv`, versionId: 'v1' }),
  );
  gateway.always((exchange) => {
    const isAllowed = exchange.request.body.includes('ok-');
    (isAllowed ? answerWell : page(403, 'Forbidden', text))(exchange);
  });

  await workOff(uploads, [...forbidden, ...allowed], 6 * hour);

  expect(ends().filter((end) => end === 'APPLIED')).toHaveLength(8);
  expect(ends().filter((end) => end === 'READY')).toHaveLength(4);
});

it('[A21] a wrong token is told at the first answer, whoever answers', async () => {
  for (const doing of [page(401), page(407), refuse(401), refuse(401, {})]) {
    const { gateway, uploads, gate } = await uploadStage();
    gateway.always(doing);

    await uploads.deliver(uploads.put(upload));

    expect(gate.counted.get(metricNames.authRefused)).toBe(1);
    expect(await gate.row()).toMatchObject({ closed: {} });
  }
});
