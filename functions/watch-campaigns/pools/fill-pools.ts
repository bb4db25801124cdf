/** The one place that writes the rows of pools (docs/reference/ledger.md, "A pool"). */
import type { RunPool } from '#shared/config/resolve/resolved-automation.ts';
import { rowAt, type Stored } from '#shared/ledger/ledger.ts';
import { listOpenOfKind } from '#shared/ledger/open-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import {
  type IdRow,
  isFreeId,
  newPoolRow,
  poolKey,
  poolNow,
  type PoolRow,
  type RunRow,
} from '#shared/ledger/rows/run-row.ts';
import type { SwitchRow } from '#shared/ledger/rows/stage-rows.ts';
import { isOnAt, stageSwitch } from '#shared/ledger/switches.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { doEach, mayCall } from '../../_watch/watch-tick.ts';
import {
  leftOf,
  nextStep,
  type PoolLeft,
  type PoolSeen,
  type PoolStep,
  readyOf,
  withAskAnswer,
  withFailedList,
  withList,
} from './decide-pool.ts';
import { askForRun, cancelRun, listPool, type PoolDeps } from './pool-calls.ts';
import { readIds, usesOf } from './pool-uses.ts';
import { hourMs } from '#shared/schedule/duration.ts';

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
  const { ledger, now, drains = false } = deps;
  const { mode, pools: configured = [] } = deps.config;
  if (configured.length === 0 && !drains && now().getUTCMinutes() !== 0) return [];
  const pools = new Map(configured.map((pool) => [poolKey(pool), pool]));
  const known = await listOpenOfKind(ledger, 'POOL', 'pool');
  const keys = new Set([...pools.keys(), ...known.map(({ pk }) => pk)]);
  if (keys.size === 0) return [];
  const runs = [...configured, ...known].map(({ run }) => ledgerKeys.run(run));
  const freezeKey = ledgerKeys.switch(stageSwitch.scope, stageSwitch.name);
  const rows = await ledger.readMany([...new Set([...keys, ...runs, freezeKey])]);
  const freeze = rowAt<SwitchRow>(rows, freezeKey);
  const acting = freeze !== undefined && isOnAt(freeze, now()) ? 'frozen' : 'acts';
  const stage = mode === 'observe' ? 'observes' : acting;
  const looked: PoolLooked[] = [];
  await doEach(keys, async (pk) => {
    const pool = drains ? undefined : pools.get(pk);
    const row = rowAt<PoolRow>(rows, pk) ?? (await begunPool(pool, deps));
    if (row === undefined) return;
    const run = rowAt<RunRow>(rows, ledgerKeys.run(row.run));
    looked.push(await playPool(row, { pool, run, stage }, deps));
  });
  return looked;
}

async function begunPool(pool: RunPool | undefined, deps: PoolDeps): Promise<Stored<PoolRow> | undefined> {
  const { ledger, config, now, random } = deps;
  if (pool === undefined || config.mode === 'observe') return undefined;
  const mark = Array.from({ length: 8 }, () => String.fromCodePoint(97 + Math.floor(random() * 26))).join('');
  return ledger.write<PoolRow>(undefined, newPoolRow(pool, mark, now()));
}

type About = Pick<PoolSeen, 'pool' | 'stage'> & { readonly run: RunRow | undefined };

/** One step after the other, until nothing is to be done now. Who loses a write waits for the next tick. */
async function playPool(stored: Stored<PoolRow>, { pool, run, stage }: About, deps: PoolDeps): Promise<PoolLooked> {
  const uses = await usesOf(stored, run, deps.ledger);
  const makesRuns = deps.config.gateway.makesRuns === true;
  const drainsFrom = deps.drains === true ? poolNow(stored, deps.now()) : undefined;
  const seenAs = (row: Stored<PoolRow>): Taking => {
    return { row, pool, uses, makesRuns, stage, drainsFrom, now: poolNow(row, deps.now()) };
  };
  let row = stored;
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const step = nextStep(seenAs(row));
    const next = step && (await takeStep(step, seenAs(row), deps));
    if (next === undefined) break;
    row = next;
  }
  row = await sendFailing(row, pool, deps);
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
      return written && cancelled(written, step.id, deps);
    }
    case 'list': {
      const listed = await listPool(row, deps);
      if ('says' in listed) return ledger.write<PoolRow>(row, withFailedList(row, now, listed.says));
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
  // A start has it, which the next tick sees. A start of another run, to which it was bound, has it for good.
  if (known?.startId !== undefined)
    return known.run === before.run ? undefined : ledger.write(before, without(before, id));
  // What a stop by uuid has ended is cancelled all the same.
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
  if (!row.made.some((one) => one.id === id)) return row;
  const says = await cancelRun(row, id, deps);
  const sentence = `run ${id} made for ${row.run} is ${says === undefined ? 'cancelled' : `not cancelled: ${says}`}`;
  deps.reports.log[says === undefined ? 'info' : 'warn'](logEvents.poolRunCancelled, sentence, { run: row.run });
  if (says !== undefined) return row;
  return answered(row.pk, deps, (now) => without(now, id));
}

function without(row: PoolRow, id: string): PoolRow {
  return { ...row, made: row.made.filter((one) => one.id !== id) };
}

async function ask(
  step: Extract<PoolStep, { do: 'ask' }>,
  { row, pool }: { readonly row: Stored<PoolRow>; readonly pool: RunPool },
  deps: PoolDeps,
): Promise<Stored<PoolRow> | undefined> {
  const written = await deps.ledger.write<PoolRow>(row, step.row);
  if (written === undefined) return undefined;
  const answer = await askForRun(written, pool, step.startAt, deps);
  const came = answer === undefined ? 'no answer' : answer.answer === 'made' ? `run ${answer.made.id}` : answer.says;
  const isMade = answer?.answer === 'made';
  deps.reports.log[isMade ? 'info' : 'warn'](logEvents.poolAsked, `a run was asked for ${row.run}: ${came}`, {
    run: row.run,
  });
  if (answer === undefined) return written;
  return answered(row.pk, deps, (now) => ({ ...withAskAnswer(now, step.at, answer), aheadMs: answer.aheadMs }));
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

/** A failure is sent at once if the gateway refuses, any other one after so long. */
const sentAfterMs = hourMs;

/** The event first: a tick that dies after it sends it again, under the same id. */
async function sendFailing(row: Stored<PoolRow>, pool: RunPool | undefined, deps: PoolDeps): Promise<Stored<PoolRow>> {
  const { failing, run, mark, made, asks } = row;
  if (failing === undefined || failing.isSent === true || pool === undefined) return row;
  const { since, says } = failing;
  const lastsMs = poolNow(row, deps.now()).getTime() - Date.parse(since);
  if (asks.at(-1)?.answer !== 'refused' && lastsMs < sentAfterMs) return row;
  const about = { run, since, detail: says, ready: made.length, keepReady: pool.keepReady };
  await deps.bus.publish(eventTypes.runPoolNotFilled, { eventId: `pool:${mark}:${since}`, ...about });
  return (await deps.ledger.write<PoolRow>(row, { ...row, failing: { ...failing, isSent: true } })) ?? row;
}
