import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProblemAnswer } from '#console/api.ts';
import { writeKinds } from '#console/api.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import type { StageAccess } from '#operator/stage/stage-access.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { exampleDeps } from '../../golden/example-stage.ts';
import { parkedUpload } from '../../unit/operator/parked-fixtures.ts';
import {
  openTab,
  readUntil,
  requestsOf,
  startTestConsole,
  type Tab,
  type TestConsole,
} from './harness/test-console.ts';

/** Markup, the end of an event of a stream, the end of a header, and marks that hide or reorder. */
const hostile =
  '</script><img src=x onerror=alert(1)>\n\nevent: gone\ndata: {}\n\n\r\nx-evil: 1\r\n\u202egnp.\u200b\u0000';

/** Rule 5: what every answer bears, whatever it says. */
const rule5 = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The stage of the example, with a file and a freeze of others. A broken one cannot read its ledger, and its functions fail with the text. */
async function hostileDeps({ isBroken = false } = {}): Promise<OperatorDeps> {
  const deps = await exampleDeps();
  const ledger = await deps.stage.ledger();
  await ledger.write(undefined, parkedUpload({ key: `datasets/${hostile}.csv`, datasetName: hostile }));
  for (const isOn of [false, true])
    await setSwitch(ledger, stageSwitch, { isOn, by: hostile, reason: hostile, at: await deps.now() });
  const fail = async () => {
    throw new Error(`the gateway answered ${hostile}`);
  };
  const access = isBroken ? { ...deps.stage, ledger: fail, invoke: fail } : deps.stage;
  const stage: StageAccess = { ...access, until: () => stage };
  return { ...deps, stage };
}

let running: TestConsole;
let tab: Tab;
beforeAll(async () => {
  running = await startTestConsole({ allow: writeKinds, deps: await hostileDeps() });
  tab = await openTab(running);
});
afterAll(() => running.close());

/** The headers of rule 5, the media type, and what must not be there. */
function headersOf({ headers }: Response) {
  const named = Object.fromEntries(Object.keys(rule5).map((name) => [name, headers.get(name)]));
  const others = [...headers.keys()].filter((name) =>
    /^access-control-|^set-cookie$|^x-evil$|^server$|^x-powered-by$/.test(name),
  );
  return { named, others };
}

const asRule5 = { named: rule5, others: [] };

/** Asks every route, and gives its answers with what they are to. */
async function askAll(ask: (path: string, request: RequestInit) => Promise<Response>, text: string) {
  const query = new URLSearchParams({ key: text, search: text, before: text, from: text, limit: text, encoding: text });
  const requests = requestsOf(running, text).filter(({ path }) => path !== '/api/live');
  return Promise.all(
    requests.map(async ({ method, path }) => {
      const body = method === 'POST' ? JSON.stringify({ action: text, because: text }) : undefined;
      const request = { method, headers: { 'content-type': 'application/json' }, body };
      return {
        to: `${method} ${path}`,
        answer: await ask(path.startsWith('/api/') ? `${path}?${query}` : path, request),
      };
    }),
  );
}

describe('every route', () => {
  test.each([
    ['with a session', async (path: string, request: RequestInit) => tab(path, request)],
    ['without one', async (path: string, request: RequestInit) => fetch(`${running.url}${path}`, request)],
  ])('bears the headers of rule 5, and JSON is named so, %s', async (_who, ask) => {
    for (const { to, answer } of await askAll(ask, hostile)) {
      expect({ to, ...headersOf(answer) }).toEqual({ to, ...asRule5 });
      if (!to.includes('/api/')) continue;
      expect({ to, type: answer.headers.get('content-type') }).toEqual({ to, type: 'application/json' });
      await expect(answer.json()).resolves.toBeTypeOf('object');
    }
  });

  test('of a stage that fails with the text of others says so as JSON', async () => {
    await using broken = await startTestConsole({
      allow: writeKinds,
      deps: await hostileDeps({ isBroken: true }),
    });
    const answers = await askAll(await openTab(broken), 'datasets/a.csv');
    const failed = answers.filter(({ answer }) => answer.status === 502);

    for (const { to, answer } of failed) {
      expect({ to, ...headersOf(answer) }).toEqual({ to, ...asRule5 });
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(((await answer.json()) as ProblemAnswer).problem.message).toContain('<img src=x onerror=alert(1)>');
    }
    expect(failed.length).toBeGreaterThan(4);
  });
});

describe('a refusal', () => {
  // A DELETE was answered 502, with an error of the library.
  test.each([
    ['a path that is not there', '/nothing', {}, 404],
    ['a stage that is not there', `/api/stages/${encodeURIComponent(hostile)}/now`, {}, 404],
    ['a path that decodes to nothing', '/api/stages/%E0%A4%A/now', {}, 404],
    ['a method that no route has', '/api/stages', { method: 'DELETE' }, 404],
    ['a preflight', '/api/stages', { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } }, 404],
    ['a body that is no JSON', '/api/stages/local/switches', { method: 'POST', body: hostile }, 400],
    [
      'a row that has changed',
      '/api/stages/local/parked/resolve',
      { method: 'POST', body: '{"rows":[{"row":"x","version":1}],"decision":"dismiss","because":"x"}' },
      409,
    ],
    ['a body that is too large', '/api/stages/local/switches', { method: 'POST', body: 'x'.repeat(1_100_000) }, 413],
    ['a foreign origin', '/api/stages', { headers: { origin: 'http://evil.example' } }, 403],
  ])('of %s bears the headers of rule 5, and is JSON', async (_what, path, request: RequestInit, status) => {
    const headers = new Headers(request.headers);
    headers.set('content-type', 'application/json');

    const answer = await tab(path, { ...request, headers });

    expect(answer.status).toBe(status);
    expect(headersOf(answer)).toEqual(asRule5);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toMatchObject({ problem: { code: expect.any(String), message: expect.any(String) } });
  });
});

describe('the stream', () => {
  // It was answered with no-cache, so a browser could keep it on disk.
  test('bears the headers of rule 5, and no text of a ledger ends an event or makes another', async () => {
    const leaving = new AbortController();
    const stream = await tab('/api/live?stage=local', { signal: leaving.signal });
    const text = await readUntil(stream, (read) => read.includes('\n\n'));
    leaving.abort();

    expect(headersOf(stream)).toEqual(asRule5);
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    expect(text.split('\n')[0]).toBe('event: now');
    const { switches } = JSON.parse(text.split('\n')[1]?.replace('data: ', '') ?? '');
    expect(switches).toContainEqual(expect.objectContaining({ by: hostile, reason: hostile }));
  });
});
