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
import { newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import { aResolvedGateway } from '../../builders/resolved-gateway.ts';
import { clientOf } from '../../integration/shared/gateway-client/clients.ts';
import { calm } from '../../unit/operator/calm-status.ts';
import {
  afterApplying,
  answerWell,
  page,
  redirectTo,
  refuse,
  sayBody,
  unaskedContinue,
  underHeaders,
} from '../bench/doings.ts';
import {
  allRegistered,
  type EdgeCase,
  runStage,
  settled,
  stopBehind,
  twelveUploads,
  uploadStage,
} from '../bench/edges.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import { putMany, start, upload, workOff } from '../bench/workers.ts';

const minute = 60_000;
const hour = 60 * minute;
const text = { 'content-type': 'text/plain' };

/** One of each kind; the table of `classifyFailure` has each status. */
const refusals: readonly EdgeCase[] = [
  ['403 with a page', page(403)],
  ['a redirect to a login page', redirectTo(302, 'https://login.example.com/')],
];
const ofOneRequest: readonly EdgeCase[] = [['413 with a page', page(413)]];
const unproven: readonly EdgeCase[] = [
  ['530 with a page after the effect', afterApplying(page(530))],
  ['an unasked 100 Continue', unaskedContinue],
];

it.each(refusals)('[A37] %s: each of 12 uploads is registered once, and none is parked', async (_name, doing) => {
  expect(await twelveUploads(doing)).toMatchObject(allRegistered);
});

it.each(ofOneRequest)('[A37] %s: uploads end EDGE_REFUSED, never in doubt', async (_name, doing) => {
  const { ends, closed } = await twelveUploads(doing);

  expect([new Set(ends), closed]).toEqual([new Set(['EDGE_REFUSED']), 0]);
});

it.each(unproven)(
  '[A38] %s: at most three of 12 uploads are in doubt, the rest are registered once',
  async (_name, doing) => {
    const { ends } = await twelveUploads(doing);

    const inDoubt = ends.filter((end) => end === 'POST_OUTCOME_UNKNOWN').length;
    expect([1, 2, 3]).toContain(inDoubt);
    expect(ends.filter((end) => end === 'APPLIED')).toHaveLength(12 - inDoubt);
  },
);

it.each([...refusals, ...ofOneRequest, ...unproven])(
  '[A37 A38] %s: a planned stop waits for as long, and settles when the gateway answers',
  async (_name, doing) => {
    expect(await stopBehind(doing)).toEqual(settled);
  },
);

const runbook = readFileSync('docs/runbook.md', 'utf8');

it.each<EdgeCase>([
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
  // A page as 200 is no need of its own.
  expect(needs).toEqual(evidence.httpStatus === 200 ? [] : [told]);
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
  it.each<EdgeCase>([
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

it('[A21] a wrong token is named at the first answer, also if an edge gives it', async () => {
  for (const doing of [page(401), page(407), refuse(401), refuse(401, {})]) {
    const { gateway, uploads, gate } = await uploadStage();
    gateway.always(doing);

    await uploads.deliver(uploads.put(upload));

    expect(gate.counted.get(metricNames.authRefused)).toBe(1);
    expect(await gate.row()).toMatchObject({ closed: {} });
  }
});
