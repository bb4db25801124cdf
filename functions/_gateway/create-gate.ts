import { toError } from '#shared/errors/app-error.ts';
import { classifyFailure, type Random, type Verdict } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import type { GateClosure, GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { metricNames } from '#shared/vocabulary/metric-names.ts';
import type { Log, Metrics } from '../_handler/function-log.ts';
import {
  gateAfterAnswer,
  gateAfterFailedProbe,
  gateAfterFailure,
  gateStep,
  hasDoubts,
  leavesRealCall,
  opened,
  probing,
  waitOf,
} from './gate-moves.ts';
import type { Gate } from './gate.ts';
import { callTimes } from './gateway-calls.ts';

/** With less time a probe would say more about its caller than about the gateway. */
const shortestProbeMs = 1000;

/** What the gate of one environment is made of. */
export interface GateOptions extends GateReports {
  readonly ledger: Pick<Ledger, 'read' | 'write'>;
  /** One small call that shows whether the gateway is back, with the token read again, within so much time. Throws if it is not. */
  readonly probe: (probeMs?: number) => Promise<void>;
  /** Unique for this environment. */
  readonly owner: string;
  readonly now: () => Date;
  readonly random: Random;
}

/**
 * The gate of one environment, over the row that all environments of all functions share.
 *
 * If the row cannot be read, `waitMs` throws and the message returns: without the ledger no work
 * can begin. To call a gateway in an unknown state would be a guess. `failed` and `answered` never
 * throw: their call is over, and its own outcome is still to be written.
 */
export function createGate(options: GateOptions): Gate {
  const { now, random } = options;
  const store = createGateStore(options.ledger, now);
  /** The attempt that makes the real call after a refused probe. It asks more than once before it calls. */
  let goes: string | undefined;

  return {
    async waitMs(remainingMs, attempt) {
      if (attempt !== undefined && attempt === goes) return 0;
      const seen = store.fresh();
      const gate = seen === undefined ? await store.read() : seen.gate;
      if (gateStep(gate, now()) !== 'probe') return waitOf(gate, now());
      const probeMs = remainingMs === undefined ? undefined : callTimes(remainingMs()).totalMs;
      if (probeMs !== undefined && probeMs < shortestProbeMs) return waitOf(gate, now());
      const waitMs = await probe(store, probeMs, options);
      if (waitMs === realCall) goes = attempt;
      return waitMs === realCall ? 0 : waitMs;
    },

    async failed(verdict, about) {
      goes = undefined;
      if (verdict.isAuthRefused === true) reportAuthRefused(options, verdict.why, about);
      await note(store, options, (gate) => gateAfterFailure(gate, { verdict, about }, { now: now(), random }));
    },

    async answered() {
      goes = undefined;
      if (hasDoubts(store.known())) await note(store, options, gateAfterAnswer);
    },
  };
}

/**
 * Writes what a call showed. If the ledger fails, this environment obeys all the same. The others
 * find out by calls of their own.
 */
async function note(store: GateStore, options: GateOptions, change: GateChange): Promise<void> {
  const seen = store.fresh();
  if (seen !== undefined && change(seen.gate) === undefined) return;
  try {
    await write(store, options, change);
  } catch (error) {
    store.assume(change);
    options.log.warn(logEvents.gateUnwritten, 'the row of the gate could not be written', { error: toError(error) });
  }
}

/** Its own call follows the caller's probe, at a gate that stays closed. */
const realCall = 'real-call';

/** Makes the probe if no other caller does, and says how long to wait after it. */
async function probe(
  store: GateStore,
  probeMs: number | undefined,
  options: GateOptions,
): Promise<number | typeof realCall> {
  const { owner, now, random } = options;
  const isMine = await write(store, options, (gate) =>
    isClosed(gate) && gateStep(gate, now()) === 'probe' ? probing(gate, owner, now()) : undefined,
  );
  if (!isMine) return waitOf(store.known(), now());

  const failure = await failureOf(() => options.probe(probeMs));
  if (failure?.isAuthRefused === true) reportAuthRefused(options, failure.why);
  await write(store, options, (gate) => {
    if (!isClosed(gate) || gate.closed.probeOwner !== owner) return undefined;
    return failure === undefined ? opened(gate) : gateAfterFailedProbe(gate, failure, { now: now(), random });
  });
  return failure !== undefined && leavesRealCall(failure) ? realCall : waitOf(store.known(), now());
}

async function write(store: GateStore, options: GateOptions, change: GateChange): Promise<boolean> {
  const written = await store.write(change);
  if (written !== undefined) reportGateChange(options, written.before, written.after);
  return written !== undefined;
}

async function failureOf(makeProbe: () => Promise<void>): Promise<Verdict | undefined> {
  try {
    await makeProbe();
    return undefined;
  } catch (error) {
    return classifyFailure('get', error);
  }
}

function isClosed(gate: GateRow | undefined): gate is GateRow & { readonly closed: GateClosure } {
  return gate?.closed !== undefined;
}

/** What to make of the gate's row; `undefined` leaves it as it is. */
type GateChange = (gate: GateRow | undefined) => GateRow | undefined;

/** The gate's row as one environment sees it. */
type GateStore = ReturnType<typeof createGateStore>;

/**
 * A row that was read or written less than this ago is not read again. That is one read for a batch
 * of ten at the usual rates, and none for most batches of a fast stage. What this environment
 * itself finds out counts at once.
 */
const freshMs = 5000;

/**
 * Lost races in a row before a change is given up: every writer in the race has seen the same
 * gateway.
 */
const mostLooks = 8;

/** Remembers the row between two looks. */
function createGateStore(ledger: Pick<Ledger, 'read' | 'write'>, now: () => Date) {
  let known: { readonly gate: GateRow | undefined; readonly atMs: number } | undefined;

  function learn(gate: GateRow | undefined): void {
    known = { gate, atMs: now().getTime() };
  }

  async function read() {
    const gate = await ledger.read<GateRow>(ledgerKeys.gate());
    learn(gate);
    return gate;
  }

  return {
    /** As last seen, however long ago. */
    known: () => known?.gate,

    /** As last seen, if that is recent. */
    fresh() {
      // A clock that was set back makes the row old.
      const ageMs = now().getTime() - (known?.atMs ?? 0);
      return ageMs >= 0 && ageMs < freshMs ? known : undefined;
    },

    read,

    /**
     * Reads and writes until no other write comes between: `undefined` if the row is already as
     * `change` wants it.
     */
    async write(change: GateChange) {
      for (let look = 0; look < mostLooks; look += 1) {
        const before = await read();
        const wanted = change(before);
        if (wanted === undefined) return undefined;
        const after = await ledger.write(before, wanted);
        if (after === undefined) continue;
        learn(after);
        return { before, after };
      }
      return undefined;
    },

    /** What this environment goes by although the row could not be written. */
    assume: (change: GateChange) => learn(change(known?.gate) ?? known?.gate),
  };
}

/** The port that the gate reports its changes to. */
interface GateReports {
  readonly log: Log;
  readonly count: Metrics['count'];
}

/** One line and one count for each thing that a write of the row made happen. */
function reportGateChange(reports: GateReports, before: GateRow | undefined, after: GateRow): void {
  if (before?.closed !== undefined && after.closed === undefined) {
    const said = after.failedProbes === undefined ? 'answered' : 'refused, so the gateway is there';
    reports.count(metricNames.gateOpened, 1);
    reports.log.info(logEvents.gateOpened, `a probe was ${said}: calls go on`, { closedSince: before.since });
  }
  reportClosed(reports, before, after);
  reportPaused(reports, before, after);
}

/** Closed now, or for longer: a probe that begins is neither. */
function reportClosed({ log, count }: GateReports, before: GateRow | undefined, after: GateRow): void {
  const { reason, since, closed } = after;
  if (closed === undefined || closed.probeOwner !== undefined || closed.probeAt === before?.closed?.probeAt) return;
  count(metricNames.gateClosed, 1);
  const { probeAt, failedProbes } = closed;
  log.error(logEvents.gateClosed, `no worker calls the gateway: ${reason ?? ''}`, { since, probeAt, failedProbes });
}

function reportPaused({ log, count }: GateReports, before: GateRow | undefined, after: GateRow): void {
  const { reason, pausedUntil } = after;
  if (pausedUntil === undefined || pausedUntil === before?.pausedUntil) return;
  count(metricNames.gatePaused, 1);
  log.warn(logEvents.gatePaused, `no worker calls the gateway for a while: ${reason ?? ''}`, { pausedUntil });
}

/** A call or a probe failed for its token. */
function reportAuthRefused({ log, count }: GateReports, why: string, about?: string): void {
  count(metricNames.authRefused, 1);
  log.error(logEvents.authRefused, `the token of the gateway: ${why}`, { about });
}
