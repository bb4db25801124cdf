/** I17, I18: what stands in a line of the log. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createLog, type Log } from '#functions/_handler/function-log.ts';
import { handleBatch, type QueueWorker } from '#functions/_handler/queue-worker.ts';
import { aroundPosts, createGatewayWithin } from '#functions/_gateway/gateway-calls.ts';
import { handleUploadMessage } from '#functions/register-datasets/handle-upload-message.ts';
import { answerText } from '../../integration/shared/gateway-client/raw-server.ts';
import { createUploadBench, type UploadBench } from '../../unit/functions/register-datasets/upload-bench.ts';
import { afterApplying, answerWell, type Doing, redirectTo, refuse, reset, say, sayBody } from '../bench/doings.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';
import { createPolledQueue } from '../queue/queue-bench.ts';

const canary = 'canary-7f3a9c/Zx+token==';
/** Every form in which a text of ours may hold it. */
const forms = [
  canary,
  encodeURIComponent(canary),
  Buffer.from(canary).toString('base64'),
  canary.replaceAll('/', '\\/'),
];

const evil = 'x\r\n{"event":"outcome","outcome":"applied","subject":"forged"}\n\u001b[2K\u2028\u0085\u0000"},{';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What reaches CloudWatch, where each line is an event of its own. */
function capturedOutput(): () => string[] {
  let written = '';
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((chunk) => {
      written += String(chunk);
      return true;
    });
  }
  return () => written.split('\n').filter((line) => line !== '');
}

/**
 * One upload through the wrapper, the worker, the real log and the real client, to a gateway that
 * does this.
 */
async function upload(doing: Doing, key = 'datasets/pii/names.csv', arm: (bench: UploadBench) => void = () => {}) {
  const gateway = await startRawGateway();
  gateway.always(doing);
  const bench = createUploadBench();
  const log = createLog({
    functionName: 'register-datasets',
    stage: 'test',
    leastLevel: 'DEBUG',
    redact: (text) => text.replaceAll(canary, '***'),
  });
  const tokenProvider = { get: async () => canary, refresh: async () => canary };
  const options = { baseUrl: gateway.baseUrl, tokenProvider, log, random: () => 0 };
  bench.deps.gatewayWithin = createGatewayWithin(options, aroundPosts);
  arm(bench);
  const queue = createPolledQueue(() => bench.state.nowMs, 1);
  queue.send(bench.put({ key, versionId: 'v1' }));
  const answers: unknown[] = [];
  await queue.poll(async (event) => {
    const answer = await handleBatch(event, { requestId: 'r', remainingMs: () => 120_000 }, workerOf(bench, log));
    answers.push(answer);
    return answer;
  });
  return { bench, answers };
}

function workerOf(bench: UploadBench, log: Log): QueueWorker {
  return {
    handleRecord: (record, context) => handleUploadMessage({ deps: bench.deps, record, context }),
    postpone: async () => {},
    recordBudgetMs: 1000,
    reports: {
      log,
      count: () => {},
      level: () => {},
      reportBatch: async (outcomes) => {
        for (const outcome of outcomes) log.error('outcome', `${outcome.kind} ${outcome.subject}`, { ...outcome });
      },
    },
    now: () => new Date(bench.state.nowMs),
    random: () => 0.5,
  };
}

describe('[F11] one event is one line of JSON', () => {
  test.each<[string, Doing, string]>([
    ['the key of an object', answerWell, `datasets/pii/${evil.replaceAll('\u0000', '')}.csv`],
    [
      'the text of an error',
      refuse(422, { detail: [{ loc: ['body', evil], msg: evil, type: 'x' }] }),
      'datasets/pii/a.csv',
    ],
    ['an error that is no JSON', say(answerText(400, evil, { 'content-type': 'text/plain' })), 'datasets/pii/a.csv'],
    ['the id of the dataset', sayBody(JSON.stringify({ id: evil })), 'datasets/pii/a.csv'],
    ['a header', say(answerText(429, '{}', { 'retry-after': '1\u0085\u001b[2K' })), 'datasets/pii/a.csv'],
  ])('whatever stands in %s', async (_where, doing, key) => {
    const written = capturedOutput();

    await upload(doing, key);

    const lines = written();
    // What is no JSON is not of the gateway: that upload has no outcome yet.
    expect(lines.map((line) => eventOf(line))).toContainEqual(expect.stringMatching(/^(?:outcome|record_later)$/));
    for (const line of lines) {
      // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be in a line
      expect(line).not.toMatch(/[\u0000-\u001f]/);
      expect(JSON.parse(line)).toMatchObject({ service: 'register-datasets', stage: 'test' });
    }
  });
});

function eventOf(line: string): unknown {
  const fields: { readonly event?: unknown } = JSON.parse(line);
  return fields.event;
}

/** An error that repeats the request's own headers. */
const echo: Doing = (exchange) => refuse(422, { detail: exchange.request.headers })(exchange);

describe('[F12] the token', () => {
  const answers: readonly (readonly [string, Doing])[] = [
    ['an answer that repeats the request headers', echo],
    ['an error text that names it', refuse(400, { message: `Bearer ${canary} is not allowed`, token: canary })],
    ['an error that is it', say(answerText(403, canary, { 'content-type': 'text/plain' }))],
    ['a 401 that quotes it', refuse(401, { error: `unknown token ${canary}` })],
    ['a redirect that carries it', redirectTo(307, `http://127.0.0.1:1/?token=${encodeURIComponent(canary)}`)],
    ['a broken answer after the effect', afterApplying(reset)],
    ['garbage', say(`HTTP/1.1 2xx ${canary}\r\n\r\n`)],
    ['an answer that ends well', answerWell],
  ];

  test.each(answers)('is in no line, row, event, command or answer after %s', async (_what, doing) => {
    const written = capturedOutput();

    const { bench, answers: batchAnswers } = await upload(doing);

    const everything = [
      ...written(),
      JSON.stringify([bench.ledger.all(), bench.events, bench.commands, batchAnswers]),
    ].join('\n');
    for (const form of forms) expect(everything).not.toContain(form);
  });

  const thrown = async () => Promise.reject(new Error(`socket hang up: authorization: Bearer ${canary}`));
  test.each<[string, (bench: UploadBench) => void]>([
    ['the bucket', ({ faults }) => void (faults.read = thrown)],
    ['the token itself', ({ faults }) => void (faults.token = thrown)],
    ['the ledger', ({ faults }) => void (faults.write = thrown)],
    ['the bus', ({ faults }) => void (faults.publish = thrown)],
    [
      'a client that is not ours',
      ({ deps }) => void (deps.gatewayWithin = () => ({ gateway: { createDataset: thrown }, callBudgetMs: 0 })),
    ],
  ])('is in no line if an error that %s throws carries it', async (_what, arm) => {
    const written = capturedOutput();

    await upload(answerWell, 'datasets/pii/names.csv', arm);

    const lines = written();
    expect(lines.join('\n')).toContain('***');
    for (const form of forms) expect(lines.join('\n')).not.toContain(form);
  });
});
