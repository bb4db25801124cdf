/** The one place that writes the rows of pools (docs/reference/ledger.md, "A pool"). */
import type { RunPool } from '#shared/config/resolve/resolved-automation.ts';
import { rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { listOpenOfKind } from '#shared/ledger/open-rows.ts';
import { newPoolRow, poolKey, poolNow, type PoolRow } from '#shared/ledger/rows/pool-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { type IdRow, isFreeId, type RunRow } from '#shared/ledger/rows/run-row.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { doEach, mayCall } from '../watched-campaign.ts';
import {
  isDraining,
  leftOf,
  nextStep,
  type PoolLeft,
  type PoolSeen,
  type PoolStep,
  readyOf,
  withAnswer,
  withList,
} from './decide-pool.ts';
import { cancelRun, listRuns, makeRun, type PoolDeps } from './pool-calls.ts';
import { readIds, usesOf } from './pool-uses.ts';

/** A pool after a tick. */
export interface PoolLooked extends PoolLeft {
  readonly run: string;
  readonly mark: string;
  readonly ready: number;
  /** @default it is not configured any more, or is being emptied */
  readonly keepReady?: number | undefined;
  readonly failing?: string | undefined;
}

/** More than a tick has time for. */
const mostSteps = 200;

/** Fills the configured pools, and empties those that are not. Without one it looks once an hour. */
export async function fillPools(deps: PoolDeps): Promise<readonly PoolLooked[]> {
  const { ledger, now, drains } = deps;
  const { pools: configured = [] } = deps.config;
  if (configured.length === 0 && drains !== true && now().getUTCMinutes() !== 0) return [];
  const pools = new Map(configured.map((pool) => [poolKey(pool), pool]));
  const known = await listOpenOfKind(ledger, 'POOL', 'pool');
  const runs = [...configured, ...known].map(({ run }) => ledgerKeys.run(run));
  const keys = new Set([...pools.keys(), ...known.map(({ pk }) => pk)]);
  if (keys.size === 0) return [];
  const rows = await ledger.readMany([...new Set([...keys, ...runs])]);
  const looked: PoolLooked[] = [];
  await doEach(keys, async (pk) => {
    const pool = pools.get(pk);
    const row = rowAt<PoolRow>(rows, pk) ?? (await begunPool(pool, deps));
    if (row === undefined) return;
    const run = rowAt<RunRow>(rows, ledgerKeys.run(row.run));
    looked.push(await playPool(await drained(row, deps), { pool, run }, deps));
  });
  return looked;
}

async function begunPool(pool: RunPool | undefined, deps: PoolDeps): Promise<Stored<PoolRow> | undefined> {
  const { ledger, config, now, random, drains } = deps;
  if (pool === undefined || config.mode === 'observe' || drains === true) return undefined;
  const mark = Array.from({ length: 8 }, () => String.fromCodePoint(97 + Math.floor(random() * 26))).join('');
  return ledger.write<PoolRow>(undefined, newPoolRow(pool, mark, now()));
}

async function drained(row: Stored<PoolRow>, { ledger, now, drains }: PoolDeps): Promise<Stored<PoolRow>> {
  if (drains !== true || isDraining(row, poolNow(row, now()))) return row;
  return (await ledger.write<PoolRow>(row, { ...row, drain: poolNow(row, now()).toISOString() })) ?? row;
}

type About = { readonly pool: RunPool | undefined; readonly run: RunRow | undefined };

/** One step after the other, until nothing is to be done now. Who loses a write waits for the next tick. */
async function playPool(stored: Stored<PoolRow>, { pool, run }: About, deps: PoolDeps): Promise<PoolLooked> {
  const { ledger, config } = deps;
  const uses = await usesOf(stored, run, ledger);
  const [makesRuns, observes] = [config.gateway.makesRuns === true, config.mode === 'observe'];
  const seenAs = (row: Stored<PoolRow>) =>
    ({ row, pool, uses, makesRuns, observes, now: poolNow(row, deps.now()) }) satisfies PoolSeen;
  let row = stored;
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const step = nextStep(seenAs(row));
    const next = step && (await takeStep(step, { ...seenAs(row), row }, deps));
    if (next === undefined) break;
    row = next;
  }
  row = await tellFailing(row, pool, deps);
  const { mark, made, failing } = row;
  const about = { run: row.run, mark, ready: readyOf(made, uses), keepReady: pool?.keepReady, failing: failing?.says };
  return { ...about, ...leftOf(seenAs(row)) };
}

type Taking = PoolSeen & { readonly row: Stored<PoolRow> };

async function takeStep(step: PoolStep, seen: Taking, deps: PoolDeps): Promise<Stored<PoolRow> | undefined> {
  const { row, pool, now } = seen;
  const { ledger } = deps;
  if (step.do === 'write') return ledger.write<PoolRow>(row, step.row);
  if (!(await mayCall(step.do === 'list' ? 'reads' : 'runs', deps))) return undefined;
  switch (step.do) {
    case 'cancel': {
      const written = step.claims ? await claim(step, row, deps) : await ledger.write<PoolRow>(row, step.row);
      return written && (await cancelled(written, step.id, deps));
    }
    case 'list': {
      const listed = await listRuns(row, deps);
      if ('says' in listed) {
        return ledger.write<PoolRow>(row, { ...row, unlisted: { at: now.toISOString(), says: listed.says } });
      }
      const { runs, aheadMs } = listed;
      const missing = runs.filter(({ id }) => !row.made.some((one) => one.id === id));
      const ids = missing.map(({ id }) => id);
      const known = await readIds(ids, ledger);
      const unknown = missing.filter(({ id }) => isFreeId(known.get(id)));
      return ledger.write<PoolRow>(row, { ...withList(row, unknown, now), aheadMs });
    }
    case 'ask':
      return pool && ask(step, { row, pool }, deps);
  }
}

/** The row of the id is put with that of the pool, so that no start takes it. */
async function claim(
  { row: after, id }: Extract<PoolStep, { do: 'cancel' }>,
  before: Stored<PoolRow>,
  { ledger, now }: PoolDeps,
): Promise<Stored<PoolRow> | undefined> {
  const pk = ledgerKeys.runId(id);
  const known = await ledger.read<IdRow>(pk);
  // A start has it, which its next tick sees; what a stop by uuid has ended is cancelled all the same.
  if (known?.startId !== undefined) return undefined;
  if (!isFreeId(known)) return ledger.write<PoolRow>(before, after);
  const end = { by: `pool:${before.mark}`, how: 'ordered' as const, at: now().toISOString() };
  const idRow: IdRow = { pk, kind: 'run-id', campaignRunId: id, run: before.run, end };
  const written = await ledger.writeAll([
    { before, after },
    { before: known, after: idRow },
  ]);
  return written === 'row-changed' ? undefined : (written[0] as Stored<PoolRow>);
}

async function cancelled(row: Stored<PoolRow>, id: string, deps: PoolDeps): Promise<Stored<PoolRow> | undefined> {
  const says = await cancelRun(row, id, deps);
  const sentence = `run ${id} made for ${row.run} is ${says === undefined ? 'cancelled' : `not cancelled: ${says}`}`;
  deps.reports.log[says === undefined ? 'info' : 'warn'](logEvents.poolRunCancelled, sentence, { run: row.run });
  return answered(row.pk, deps, ({ made, ...rest }) => {
    const withSays = made.map((one) =>
      one.id === id && one.cancel ? { ...one, cancel: { ...one.cancel, says } } : one,
    );
    return { ...rest, made: says === undefined ? made.filter((one) => one.id !== id) : withSays };
  });
}

async function ask(
  step: Extract<PoolStep, { do: 'ask' }>,
  { row, pool }: { readonly row: Stored<PoolRow>; readonly pool: RunPool },
  deps: PoolDeps,
): Promise<Stored<PoolRow> | undefined> {
  const written = await deps.ledger.write<PoolRow>(row, step.row);
  if (written === undefined) return undefined;
  const answer = await makeRun(written, pool, step.startAt, deps);
  const came = answer === undefined ? 'no answer' : answer.answer === 'made' ? `run ${answer.made.id}` : answer.says;
  const isMade = answer?.answer === 'made';
  deps.reports.log[isMade ? 'info' : 'warn'](logEvents.poolAsked, `a run was asked for ${row.run}: ${came}`, {
    run: row.run,
  });
  if (answer === undefined) return written;
  return answered(row.pk, deps, (now) => ({ ...withAnswer(now, step.at, answer), aheadMs: answer.aheadMs }));
}

/** Races lost in a row before a write is left to a later list. */
const mostTries = 10;

/** What came back is written in any case. */
async function answered(
  pk: string,
  { ledger }: PoolDeps,
  change: (row: PoolRow) => PoolRow,
): Promise<Stored<PoolRow> | undefined> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const before = await ledger.read<PoolRow>(pk);
    const after = before && (await ledger.write<PoolRow>(before, change(before)));
    if (after !== undefined) return after;
  }
  return undefined;
}

/** A pool that is not filled for so long, or that is refused, is told of. */
const toldAfterMs = 60 * 60_000;

/** The event first: a tick that dies after it sends it again, under the same id. */
async function tellFailing(row: Stored<PoolRow>, pool: RunPool | undefined, deps: PoolDeps): Promise<Stored<PoolRow>> {
  const { failing, run, mark, made, asks } = row;
  if (failing === undefined || failing.told === true || pool === undefined) return row;
  const lastsMs = poolNow(row, deps.now()).getTime() - Date.parse(failing.since);
  if (asks.at(-1)?.answer !== 'refused' && lastsMs < toldAfterMs) return row;
  const { since, says } = failing;
  const about = { run, since, detail: says, ready: made.length, keepReady: pool.keepReady };
  await deps.bus.publish(eventTypes.runPoolNotFilled, { eventId: `pool:${mark}:${since}`, ...about });
  return (await deps.ledger.write<PoolRow>(row, { ...row, failing: { ...failing, told: true } })) ?? row;
}
