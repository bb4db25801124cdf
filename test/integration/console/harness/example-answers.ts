/** What each route of the console answers over a stage with something of everything. */
import type { DryRunAnswer } from '#console/api-work.ts';
import { writeKinds } from '#console/api.ts';
import { appliedStart, registeredKey } from '../../../golden/example-stage.ts';
import { parkedMessage } from '../../../unit/operator/parked-fixtures.ts';
import { openTab, post, startTestConsole, type Tab } from './test-console.ts';

type Ask = (tab: Tab, path: string) => Promise<Response>;

const ask: Ask = async (tab, path) => tab(path);

const send =
  (body: object): Ask =>
  async (tab, path) =>
    post(tab, path, body);

const file: Ask = async (tab, path) => tab(path, { method: 'POST', body: 'prompt,label\nhello,1\n' });

const dismissal = { rows: { reason: 'BAD_MESSAGE' }, decision: 'dismiss' } as const;

/** Resolves the rows that a dry run names, of which each test console has one. */
const resolve: Ask = async (tab, path) => {
  const dryRun = await send(dismissal)(tab, path.replace('resolve', 'dry-run'));
  const { todo } = (await dryRun.json()) as DryRunAnswer;
  const rows = todo.map(({ row, version }) => ({ row, version }));
  return send({ rows, decision: 'dismiss', because: 'CHG-9' })(tab, path);
};

const stage = '/api/stages/local';

/** A path of each route that has an answer, and a request that it answers. Those that write come last. */
const routes: Readonly<Record<string, readonly [path: string, ask: Ask]>> = {
  'GET /api/stages': ['/api/stages', ask],
  'GET /api/stages/:stage/now': [`${stage}/now`, ask],
  'GET /api/stages/:stage/doctor': [`${stage}/doctor`, ask],
  'GET /api/stages/:stage/settings': [`${stage}/settings`, ask],
  'GET /api/stages/:stage/calendar': [`${stage}/calendar`, ask],
  'GET /api/stages/:stage/history': [`${stage}/history`, ask],
  'GET /api/stages/:stage/runs/:command': [`${stage}/runs/${appliedStart}`, ask],
  'GET /api/stages/:stage/scores': [`${stage}/scores`, ask],
  'GET /api/stages/:stage/uploads': [`${stage}/uploads`, ask],
  'GET /api/stages/:stage/uploads/:key{.+}': [`${stage}/uploads/${registeredKey}`, ask],
  'POST /api/stages/:stage/check': [`${stage}/check?key=datasets/a.csv`, file],
  'GET /api/stages/:stage/parked': [`${stage}/parked`, ask],
  'GET /api/stages/:stage/parked/:id': [`${stage}/parked/${encodeURIComponent(parkedMessage().pk)}`, ask],
  'POST /api/stages/:stage/parked/dry-run': [`${stage}/parked/dry-run`, send(dismissal)],
  'POST /api/stages/:stage/parked/resolve': [`${stage}/parked/resolve`, resolve],
  'POST /api/stages/:stage/uploads': [`${stage}/uploads?key=datasets/new.csv&because=CHG-9`, file],
  'POST /api/stages/:stage/stops': [`${stage}/stops`, send({ startIds: [appliedStart], because: 'INC-7' })],
  'POST /api/stages/:stage/switches': [`${stage}/switches`, send({ action: 'thaw', because: 'INC-77 has ended' })],
};

/**
 * Asks each route once.
 * @returns the answers by their routes, and the routes that the console serves
 * @throws Error with the answer of a route that refuses
 */
export async function exampleAnswers() {
  await using running = await startTestConsole({ allow: writeKinds });
  const tab = await openTab(running);
  const answers: Record<string, unknown> = {};
  for (const [route, [path, request]] of Object.entries(routes)) {
    const response = await request(tab, path);
    const body: unknown = await response.json();
    if (!response.ok) throw new Error(`${route}: ${JSON.stringify(body)}`);
    answers[route] = body;
  }
  return { answers, served: running.routes };
}
