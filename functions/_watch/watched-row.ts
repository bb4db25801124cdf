import * as z from 'zod';
import { countOf } from '#shared/changes/words.ts';
import { AppError } from '#shared/errors/app-error.ts';
import { classifyFailure, GatewayError } from '#shared/gateway-client/index.ts';
import type { Ledger, RowChange, Stored } from '#shared/ledger/ledger.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import type { TickAnswer } from '#shared/messages/questions.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { Gate } from '../_gateway/gate.ts';
import type { Log } from '../_handler/function-log.ts';

/** The row of a watch, as its looks read and write it. */
export interface WatchedRow<Row extends LedgerRow> {
  /** The row as it was read or last written; before the first look the row to begin with. */
  readonly current: () => Row;
  /**
   * Writes the row and others with it, all or none: if no other look has written one since.
   * @throws OvertakenError
   */
  readonly write: (after: Row, beside?: readonly RowChange[]) => Promise<void>;
}

/** Another look of the watch wrote its row first: what this one saw does not count. */
class OvertakenError extends Error {
  override readonly name = 'OvertakenError';
}

/**
 * The row of a watch.
 * @param read - the row as it was read; `undefined`: there is none yet
 * @param fresh - the row to begin with
 */
export function watchedRow<Row extends LedgerRow>(
  ledger: Pick<Ledger, 'writeAll'>,
  read: Stored<Row> | undefined,
  fresh: Row,
): WatchedRow<Row> {
  let stored = read;
  return {
    current: () => stored ?? fresh,
    async write(after, beside = []) {
      const written = await ledger.writeAll([{ before: stored, after }, ...beside]);
      if (written === 'row-changed') throw new OvertakenError(fresh.pk);
      // The first of the written rows is the one that was given.
      stored = written[0] as Stored<Row>;
    },
  };
}

/**
 * One look of a watch. Two looks may run at once, since Scheduler may call twice. The one that
 * writes first counts. The other one ends without an error, and the next look begins from the row.
 */
export async function lookOf(
  watch: string,
  look: () => Promise<TickAnswer>,
  { log }: { readonly log: Pick<Log, 'info'> },
): Promise<TickAnswer> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof OvertakenError)) throw error;
    const summary = `another look of ${watch} was under way; this one does not count`;
    log.info(logEvents.lookOvertaken, summary, { watch });
    return { summary, watch, isUnfinished: true };
  }
}

/**
 * One read of the gateway, and what it says to the gate. `undefined`: the gateway asked for a
 * pause, which is no error of the look.
 * @param about - the row that it is for
 * @throws any other failure
 */
export async function askGateway<Answer extends object>(
  about: string,
  read: () => Promise<Answer>,
  { gate }: { readonly gate: Gate },
): Promise<Answer | undefined> {
  try {
    const answer = await read();
    await gate.answered();
    return answer;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const verdict = classifyFailure('get', error);
    await gate.failed(verdict, about);
    if (verdict.pauseMs !== undefined) return undefined;
    throw error;
  }
}

/** What every set of changes has. */
type Counted = Parameters<typeof countOf>[0] & { readonly starts: readonly string[] };

/**
 * What an answer says of the sets that a look sent: how many changes, and the starts, each once.
 */
export function sentFacts(sets: readonly Counted[]) {
  const changes = sets.reduce((sum, set) => sum + countOf(set), 0);
  return { changes, starts: [...new Set(sets.flatMap(({ starts }) => starts))] };
}

/** The same of its starts in words. */
export function sentWords(starts: readonly string[]): string {
  return starts.length === 0 ? 'no rule starts a run for that' : `start of ${starts.join(', ')} sent`;
}

const watchEvent = z.object({ watch: z.string() });

/**
 * The watch that a schedule's event names.
 * @throws AppError UNKNOWN_WATCH
 */
export function watchOf<Watch extends { readonly name: string }>(event: unknown, watches: readonly Watch[]): Watch {
  const parsed = watchEvent.safeParse(event);
  const watch = watches.find(({ name }) => name === parsed.data?.watch);
  if (watch !== undefined) return watch;

  const asked = parsed.success ? `there is no watch "${parsed.data.watch}"` : 'the event is not {"watch": "NAME"}';
  const known = watches.map(({ name }) => name).join(', ') || 'none';
  throw new AppError(`${asked}; configured watches: ${known}`, { code: 'UNKNOWN_WATCH', retryable: false });
}
