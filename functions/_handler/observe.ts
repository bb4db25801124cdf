import type { Queue } from '#shared/aws/queue.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import type { Ledger, Stored } from '#shared/ledger/ledger.ts';
import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import { isObserved, ledgerKeys, observedPrefix } from '#shared/ledger/rows/row-keys.ts';
import { type IdRow, isFreeId, type RunRow } from '#shared/ledger/rows/run-row.ts';
import type { OutcomeKind, ReasonCode } from '#shared/vocabulary/reason-codes.ts';
import type { LogFields } from './output.ts';

/** How one piece of work ended; it is in the ledger by the time a worker returns it. */
export interface Outcome {
  readonly kind: OutcomeKind;
  /** What it was about: a command id, an object key. */
  readonly subject: string;
  /** For people, if the subject is an id: "start nightly". @default the subject */
  readonly title?: string;
  readonly reason?: ReasonCode;
  readonly detail?: string;
  /** More fields for its log line. */
  readonly fields?: LogFields;
  /**
   * Its line was written before the ledger row, and says as much as another line could. @default
   * false
   */
  readonly isLogged?: boolean;
}

/** What a worker answers for one message: all of it ended, or the queue keeps it for a while. */
export type RecordResult =
  | { readonly kind: 'done'; readonly outcomes: readonly Outcome[] }
  | {
      readonly kind: 'later';
      /** Not sooner than this; by the message's visibility timeout. */
      readonly delayMs: number;
      readonly why: string;
      /** Work of the same message that did end. */
      readonly outcomes?: readonly Outcome[];
    };

/** A message that ended with one outcome. */
export function done(...outcomes: readonly Outcome[]): RecordResult {
  return { kind: 'done', outcomes };
}

/** A message that goes back to its queue for at least `delayMs`. */
export function later(delayMs: number, why: string, outcomes: readonly Outcome[] = []): RecordResult {
  return { kind: 'later', delayMs, why, outcomes };
}

/** Whether a stage acts, or only observes. */
export type Mode = ResolvedAutomation['mode'];

/**
 * The rows that a worker of a stage may take for its own, under the keys that it always uses. While
 * the stage observes, every row lies under a prefix and says that it was observed. Overlap, budget
 * and duplicates count observed work. An acting stage never takes it for done. Of the ids of a run
 * it sees what is left for real. While it acts, no listing shows what was observed before.
 * @example const ledger = ledgerOfMode(config.mode, createDynamoDbLedger({ client, tableName }));
 */
export function ledgerOfMode(mode: Mode, ledger: Ledger): Ledger {
  const isOurs = (row: LedgerRow) => isOfEveryMode(row.pk) || isObserved(row) === (mode === 'observe');
  const listOpen: Ledger['listOpen'] = async (state, range = {}) => {
    // A page on which nothing is ours is no end: a caller that reads one page only wants to know
    // whether there is anything.
    for (let { cursor } = range; ;) {
      const page = await ledger.listOpen(state, cursor === undefined ? range : { ...range, cursor });
      const items = page.items.filter(isOurs).map(asOurs);
      if (items.length > 0 || page.next === undefined) return { ...page, items };
      cursor = page.next;
    }
  };
  if (mode === 'act') return { ...ledger, listOpen };

  return {
    async read<Row extends LedgerRow>(pk: Row['pk']) {
      const [first = pk, second] = keysInTable(pk);
      const own = await ledger.read<Row>(first);
      return answerOf<Row>(pk, own, second === undefined ? undefined : await ledger.read<Row>(second));
    },
    async readMany(pks) {
      const rows = await ledger.readMany(pks.flatMap(keysInTable));
      return new Map(
        pks.flatMap((pk) => {
          const [own, real] = keysInTable(pk).map((key) => rows.get(key));
          const row = answerOf(pk, own, real);
          return row === undefined ? [] : [[pk, row] as const];
        }),
      );
    },
    async write<Row extends LedgerRow>(before: Stored<Row> | undefined, after: Row) {
      const written = await ledger.write<Row>(rowInTable(before), asKept(after));
      return written && asOurs(written);
    },
    async writeAll(changes) {
      const kept = changes.map(({ before, after }) => ({ before: rowInTable(before), after: asKept(after) }));
      const written = await ledger.writeAll(kept);
      return written === 'row-changed' ? written : written.map(asOurs);
    },
    listOpen,
  };
}

/**
 * The commands queue of a stage. What an observing stage sends says so: should the stage act by the
 * time that it is handled, nothing is done.
 * @example commandsOfMode(config.mode, createQueue(sqs, env.COMMANDS_QUEUE_URL))
 */
export function commandsOfMode(mode: Mode, queue: Pick<Queue, 'send'>): Pick<Queue, 'send'> {
  if (mode === 'act') return queue;
  return { send: async (body) => queue.send(JSON.stringify({ ...JSON.parse(body), isObserved: true })) };
}

/** The rows as an observing worker finds them: its own first. */
function keysInTable(pk: string): readonly string[] {
  if (isOfEveryMode(pk)) return [pk];
  const own = `${observedPrefix}${pk}`;
  return isRun(pk) || isRunId(pk) ? [own, pk] : [own];
}

/** A row as an observing worker sees it, of what was found at those keys. */
function answerOf<Row extends LedgerRow>(
  pk: string,
  own: Stored<Row> | undefined,
  real: Stored<Row> | undefined,
): Stored<Row> | undefined {
  const ours = own && asOurs(own);
  // A key is of one kind of row.
  if (isRun(pk))
    return observedRun(ours as Stored<RunRow> | undefined, real as Stored<RunRow> | undefined) as typeof own;
  if (isRunId(pk))
    return observedId(ours as Stored<IdRow> | undefined, real as Stored<IdRow> | undefined) as typeof own;
  return ours;
}

/** A row that the table does not hold yet is none. */
function rowInTable<Row extends LedgerRow>(row: Stored<Row> | undefined): Stored<Row> | undefined {
  return row === undefined || row.version === unwritten ? undefined : asKept(row);
}

/** `autopilot bind` writes for every mode. */
function isRun(pk: string): boolean {
  return pk.startsWith(ledgerKeys.run(''));
}

/** An id that was used for real is used in every mode. */
function isRunId(pk: string): boolean {
  return pk.startsWith(ledgerKeys.runId(''));
}

/**
 * A switch holds for the stage in both modes. A test of the links is about the stage too, and
 * operators type handles. What is remembered of silent schedules knows the mode: else a stage that
 * acts again would count the occurrences at which it only observed.
 */
function isOfEveryMode(pk: string): boolean {
  return sharedKeys.some((prefix) => pk.startsWith(prefix));
}

const sharedKeys = [ledgerKeys.linkTest(''), ledgerKeys.handle(''), ledgerKeys.silence(), 'switch#'];

/** The key under which a row of a worker lies in the table, for people who look for it there. */
export function keyInTable(mode: Mode, pk: string): string {
  return mode === 'observe' ? `${observedPrefix}${pk}` : pk;
}

/** Commands and uploads are shown to people: they say of themselves that nothing was sent. */
function asKept<Row extends LedgerRow>(row: Row): Row {
  if (isOfEveryMode(row.pk)) return row;
  const isShown = row.kind === 'command' || row.kind === 'upload';
  return { ...row, pk: `${observedPrefix}${row.pk}`, ...(isShown ? { isObserved: true } : {}) };
}

function asOurs<Row extends LedgerRow>(row: Row): Row {
  return isObserved(row) ? { ...row, pk: row.pk.slice(observedPrefix.length) } : row;
}

/** The version of a row that the table does not hold yet. */
const unwritten = 0;

/**
 * The ids of a run as a stage that observes takes them. Bound ids are there, used ids are gone, and
 * the ids that it would have used come on top. Pure.
 * @param own - the row of what would have been
 * @param real - the row that people and a stage that acts write; it is only read
 */
function observedRun(own: Stored<RunRow> | undefined, real: Stored<RunRow> | undefined): Stored<RunRow> | undefined {
  if (real === undefined) return own;
  const { pk, kind, run, bound } = real;
  const mine = own ?? { pk, kind, run, used: [], bound, version: unwritten, writer: '' };
  return { ...mine, bound, used: [...new Set([...real.used, ...mine.used])] };
}

/** The same of one id. What would have been written is written to a row of its own. */
function observedId(own: Stored<IdRow> | undefined, real: Stored<IdRow> | undefined): Stored<IdRow> | undefined {
  if (real === undefined || (own !== undefined && isFreeId(real))) return own;
  return { ...real, version: own?.version ?? unwritten, writer: own?.writer ?? '' };
}
