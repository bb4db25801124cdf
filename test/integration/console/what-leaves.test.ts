import * as z from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as api from '#console/api.ts';
import * as work from '#console/api-work.ts';
import { answer, writeKinds } from '#console/server/live.ts';
import { appliedStart, registeredKey } from '../../golden/example-stage.ts';
import { parkedMessage } from '../../unit/operator/parked-fixtures.ts';
import { openTab, startTestConsole, type TestConsole } from './harness/test-console.ts';

type Tab = Awaited<ReturnType<typeof openTab>>;
type Ask = (tab: Tab, path: string) => Promise<Response>;

const ask: Ask = async (tab, path) => tab(path);

function send(body: object): Ask {
  const headers = { 'content-type': 'application/json' };
  return async (tab, path) => tab(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

const file: Ask = async (tab, path) => tab(path, { method: 'POST', body: 'prompt,label\nhello,1\n' });

const dismissal = { decision: 'dismiss', because: 'CHG-9' } as const;

/** Resolves the rows that a dry run names, of which each test console has one. */
const resolve: Ask = async (tab, path) => {
  const body = { rows: { reason: 'BAD_MESSAGE' }, decision: 'dismiss' };
  const { todo } = work.dryRunAnswer.parse(await (await send(body)(tab, path.replace('resolve', 'dry-run'))).json());
  return send({ rows: todo.map(({ row, version }) => ({ row, version })), ...dismissal })(tab, path);
};

/** The schema of each route, a path that has an answer, and a request that it answers. Those that write come last. */
const routes: Readonly<Record<string, readonly [schema: z.ZodType, path: string, ask: Ask]>> = {
  'GET /api/stages': [api.stagesAnswer, '/api/stages', ask],
  'GET /api/stages/:stage/now': [api.nowAnswer, '/api/stages/local/now', ask],
  'GET /api/stages/:stage/doctor': [api.doctorAnswer, '/api/stages/local/doctor', ask],
  'GET /api/stages/:stage/settings': [api.settingsAnswer, '/api/stages/local/settings', ask],
  'GET /api/stages/:stage/calendar': [api.calendarAnswer, '/api/stages/local/calendar', ask],
  'GET /api/stages/:stage/history': [api.historyAnswer, '/api/stages/local/history', ask],
  'GET /api/stages/:stage/runs/:command': [api.runAnswer, `/api/stages/local/runs/${appliedStart}`, ask],
  'GET /api/stages/:stage/uploads': [work.uploadsAnswer, '/api/stages/local/uploads', ask],
  'GET /api/stages/:stage/uploads/:key{.+}': [work.uploadAnswer, `/api/stages/local/uploads/${registeredKey}`, ask],
  'POST /api/stages/:stage/check': [work.checkAnswer, '/api/stages/local/check?key=datasets/a.csv', file],
  'GET /api/stages/:stage/parked': [work.parkedAnswer, '/api/stages/local/parked', ask],
  'GET /api/stages/:stage/parked/:id': [
    work.parkedRowAnswer,
    `/api/stages/local/parked/${encodeURIComponent(parkedMessage().pk)}`,
    ask,
  ],
  'POST /api/stages/:stage/parked/dry-run': [
    work.dryRunAnswer,
    '/api/stages/local/parked/dry-run',
    send({ rows: { reason: 'BAD_MESSAGE' }, decision: 'dismiss' }),
  ],
  'POST /api/stages/:stage/parked/resolve': [work.resolveAnswer, '/api/stages/local/parked/resolve', resolve],
  'POST /api/stages/:stage/uploads': [work.sentUploadAnswer, '/api/stages/local/uploads?key=datasets/new.csv', file],
  'POST /api/stages/:stage/switches': [
    work.switchAnswer,
    '/api/stages/local/switches',
    send({ action: 'thaw', because: 'INC-77 is over' }),
  ],
};

describe('an answer', () => {
  // Without the schema each field of a row, and each field that a later version gives it, went to the browser.
  test('holds what its schema names, and no field beside it', async () => {
    const schema = z.object({ stage: z.object({ name: z.string() }), rows: z.array(z.object({ id: z.string() })) });
    const row = { id: 'r-1', ledgerKey: 'COMMAND#r-1' };
    const data = { stage: { name: 'prod', secretAccessKey: 'k' }, rows: [row], token: 't' };

    const sent = await answer(schema, data).json();

    expect(sent).toEqual({ stage: { name: 'prod' }, rows: [{ id: 'r-1' }] });
  });
});

describe('on every route an answer', () => {
  let running: TestConsole;
  let tab: Tab;
  beforeAll(async () => {
    running = await startTestConsole({ allow: writeKinds });
    tab = await openTab(running);
  });
  afterAll(() => running.close());

  test('has a schema', () => {
    const others = ['POST /api/session', 'GET /api/live'];
    const served = running.routes
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path}`);

    expect(served.toSorted()).toEqual([...others, ...Object.keys(routes)].toSorted());
  });

  test.each(Object.entries(routes))('holds what its schema names, and no field beside it: %s', async (_route, how) => {
    const [schema, path, request] = how;

    const response = await request(tab, path);
    const sent: unknown = await response.json();

    expect(response.status, JSON.stringify(sent)).toBe(200);
    expect(sent).toEqual(schema.parse(sent));
  });
});
