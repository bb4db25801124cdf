/**
 * The states of the gate and every move between them. Pure: who may call the gateway, and who probes, is decided here.
 *
 *     open ─ 429, 503 with Retry-After ─▶ paused ─ its end ─▶ open
 *     open ─ three different subjects failed in a row, or a failure that concerns every call ─▶ closed ─ a probe ─▶ open
 *
 * A probe that the gateway refuses (403, 404, 422 …) opens the gate too: the refusal proves that the gateway is there, and ordinary calls
 * decide. If they fail as well, the gate closes again, and the interval of its probes goes on doubling.
 *
 * A probe that something before the gateway refuses opens nothing. One real call an interval follows it, and opens the gate if it is
 * answered: what is refused may be that one read alone.
 */
import type { Random, Verdict } from '#shared/gateway-client/index.ts';
import { cappedDetail } from '#shared/ledger/rows/detail.ts';
import type { GateClosure, GateRow } from '#shared/ledger/rows/gate-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';

/** Different subjects that must fail in a row: two may be bad by themselves, and each more is one more upload in doubt. */
const suspectsThatClose = 3;

/** The first probe comes after this, each next one after twice as long. */
const firstProbeMs = 30_000;
const longestProbeMs = 5 * 60_000;
/** Callers of several stages behind one gateway do not probe in step. */
const probeJitter = 0.2;

/** A probe ends long before this; one whose owner died is made by another caller. */
const probeLeaseMs = 30_000;

/** When something is decided, and by which chance. */
interface At {
  readonly now: Date;
  readonly random: Random;
}

/** How long a caller waits at a gate as it stands, in milliseconds; `'probe'`: it is closed, and it is time to look whether the gateway is back. */
export function gateStep(gate: GateRow | undefined, now: Date): number | 'probe' {
  const waitMs = Math.max(msUntil(gate?.pausedUntil, now), msUntil(gate?.closed?.probeAt, now));
  return waitMs === 0 && gate?.closed !== undefined ? 'probe' : waitMs;
}

/** The same of a caller that makes no probe: one that is due is another caller's to make. */
export function waitOf(gate: GateRow | undefined, now: Date, untilProbedMs = 1): number {
  const step = gateStep(gate, now);
  return step === 'probe' ? untilProbedMs : step;
}

/** The gate after a failed call, and what it was about; `undefined` if it does not change. */
export function gateAfterFailure(
  gate: GateRow | undefined,
  { verdict, about }: { readonly verdict: Verdict; readonly about: string },
  at: At,
): GateRow | undefined {
  const why = cappedDetail(verdict.why);
  if (verdict.pauseMs !== undefined) return paused(gate, verdict.pauseMs, why, at.now);
  if (gate?.closed !== undefined) return undefined;
  if (verdict.closesGate === true) return closed(gate, why, at);
  return verdict.suspectsOutage === true ? suspected(gate, about, why, at) : undefined;
}

/** Whether the row holds something that an answer disproves. */
export function hasDoubts(gate: GateRow | undefined): boolean {
  return gate?.suspects !== undefined || gate?.failedProbes !== undefined || gate?.closed?.refusedBy !== undefined;
}

/** The gate after an answer as it should be; `undefined` if it does not change. */
export function gateAfterAnswer(gate: GateRow | undefined): GateRow | undefined {
  if (gate === undefined || !hasDoubts(gate)) return undefined;
  if (gate.closed?.refusedBy !== undefined) return opened(gate);
  const { suspects: _, failedProbes: __, ...rest } = gate;
  return rest;
}

/** The gate while one caller probes. */
export function probing(gate: GateRow & { readonly closed: GateClosure }, owner: string, now: Date): GateRow {
  return { ...gate, closed: { ...gate.closed, probeOwner: owner, probeAt: timeAfter(now, probeLeaseMs) } };
}

/** The gate after a probe that succeeded. */
export function opened(gate: GateRow): GateRow {
  return { pk: gate.pk, kind: 'gate', pausedUntil: gate.pausedUntil };
}

/** The gate after a probe that failed: a gateway that asks for a pause or refuses is there, any other failure keeps it closed. */
export function gateAfterFailedProbe(
  gate: GateRow & { readonly closed: GateClosure },
  verdict: Verdict,
  at: At,
): GateRow {
  const { now } = at;
  const why = cappedDetail(verdict.why);
  if (verdict.pauseMs !== undefined) return paused(opened(gate), verdict.pauseMs, why, now) ?? opened(gate);
  const failedProbes = gate.closed.failedProbes + 1;
  if (isRefusal(verdict)) return { ...opened(gate), failedProbes };
  const refusedBy = leavesRealCall(verdict) ? 'edge' : undefined;
  return { ...gate, reason: why, closed: { failedProbes, refusedBy, probeAt: nextProbe(failedProbes, at) } };
}

/**
 * Whether one real call may follow a probe that failed: something before the gateway refused the probe, and that is proof that nothing was
 * applied. A token that is refused is refused everywhere.
 */
export function leavesRealCall({ applied, isAuthRefused, pauseMs, evidence }: Verdict): boolean {
  return evidence.speaker === 'edge' && applied === 'no' && isAuthRefused !== true && pauseMs === undefined;
}

/** A status of the gateway itself that says no to this one request: it is there. A 401 is about every call, a 407 comes from a proxy, a 408 and a 421 are none of both. */
export function isRefusal({ evidence: { httpStatus = 0, speaker } }: Verdict): boolean {
  return speaker === undefined && httpStatus >= 400 && httpStatus < 500 && !notRefusals.has(httpStatus);
}

const notRefusals: ReadonlySet<number> = new Set([401, 407, 408, 421]);

function paused(gate: GateRow | undefined, pauseMs: number, why: string, now: Date): GateRow | undefined {
  if (msUntil(gate?.pausedUntil, now) >= pauseMs) return undefined;
  const wasPaused = msUntil(gate?.pausedUntil, now) > 0;
  const isStated = gate?.closed !== undefined || wasPaused;
  const said = isStated ? {} : { reason: why, since: now.toISOString() };
  return { ...(gate ?? openRow), ...said, pausedUntil: timeAfter(now, pauseMs) };
}

function closed(gate: GateRow | undefined, why: string, at: At): GateRow {
  const { suspects: _, failedProbes = 0, ...rest } = gate ?? openRow;
  const closure = { failedProbes, probeAt: nextProbe(failedProbes, at) };
  return { ...rest, closed: closure, reason: why, since: at.now.toISOString() };
}

function suspected(gate: GateRow | undefined, about: string, why: string, at: At): GateRow | undefined {
  const before = gate?.suspects ?? [];
  if (before.includes(about)) return undefined;
  const suspects = [...before, about];
  if (suspects.length < suspectsThatClose) return { ...(gate ?? openRow), suspects };
  return closed(gate, `${suspects.length} different calls failed in a row; the last: ${why}`, at);
}

const openRow: GateRow = { pk: ledgerKeys.gate(), kind: 'gate' };

function nextProbe(failedProbes: number, { now, random }: At): string {
  const capMs = Math.min(longestProbeMs, firstProbeMs * 2 ** failedProbes);
  return timeAfter(now, capMs * (1 - probeJitter * random()));
}

function timeAfter(now: Date, ms: number): string {
  return new Date(now.getTime() + ms).toISOString();
}

/** 0 if it is over, was never set, or cannot be read. */
function msUntil(instant: string | undefined, now: Date): number {
  if (instant === undefined) return 0;
  const ms = Date.parse(instant) - now.getTime();
  return ms > 0 ? ms : 0;
}
