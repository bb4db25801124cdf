import { createHash } from 'node:crypto';
import type { OutcomePublisher } from '#shared/aws/outcome-bus.ts';
import type { Queue } from '#shared/aws/queue.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { type ChangesRow, withChange } from '#shared/ledger/results/changes-row.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { ProjectWatchRow, WatchRow } from '#shared/ledger/rows/watch-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import type { MetricName } from '#shared/vocabulary/metric-names.ts';
import type { Tick } from '../_handler/handlers.ts';
import type { Log } from '../_handler/function-log.ts';
import { noteOutcomes } from '../_handler/worker-reports.ts';
import type { WatchedRow } from './watched-row.ts';

/** What a change set is sent with. */
export interface ChangeSetDeps extends Pick<Tick, 'now'> {
  readonly ledger: Ledger;
  readonly commands: Pick<Queue, 'send'>;
  readonly bus: OutcomePublisher;
  readonly reports: Pick<Tick['reports'], 'log' | 'count'>;
}

/** An event for the bus, and the log line that says so. */
export interface OutgoingEvent {
  readonly type: Parameters<OutcomePublisher['publish']>[0];
  readonly detail: Parameters<OutcomePublisher['publish']>[1];
  readonly log: readonly ['info' | 'warn', ...Parameters<Log['info']>];
}

/** What a change set of a watch asks for beside its starts. */
export interface Outgoing {
  readonly worker: 'poll-scanner-packages' | 'watch-projects';
  /** How commands and events name the watch. */
  readonly watch: string;
  /** The changes in one line of at most so many characters. */
  readonly words: (maxLength: number) => string;
  readonly events: readonly OutgoingEvent[];
  readonly counts: readonly (readonly [MetricName, number])[];
}

type SetOf<Row extends WatchRow | ProjectWatchRow> = NonNullable<Row['changeSet']>;

const maxReasonLength = 1000;
const maxDetailLength = 200;

/** A new id for what a look at this time found; `attemptId` tells it from that of another look. */
export function changeSetId(watch: string, at: string, attemptId: string): string {
  const unique = createHash('sha256').update(`${watch} ${at} ${attemptId}`).digest('hex').slice(0, 8);
  return `${at}-${unique}`;
}

/**
 * Sends what the row's change set asks for, then drops it from the row. Everything sent carries ids
 * made of the set's own. So if a look dies here, the next one repeats it and nothing happens twice.
 * @returns the set, if there was one: at most one
 */
export async function finishChangeSet<Row extends WatchRow | ProjectWatchRow>(
  row: WatchedRow<Row>,
  outgoingOf: (set: SetOf<Row>) => Outgoing,
  deps: ChangeSetDeps,
): Promise<readonly SetOf<Row>[]> {
  const current = row.current();
  const { changeSet } = current;
  if (changeSet === undefined) return [];
  const set: SetOf<Row> = changeSet;
  const outgoing = outgoingOf(set);
  const { log, count } = deps.reports;

  for (const run of set.starts) await sendStart(run, set.id, outgoing, deps);
  for (const {
    type,
    detail,
    log: [level, ...line],
  } of outgoing.events) {
    await deps.bus.publish(type, detail);
    log[level](...line);
  }
  const { watch, worker } = outgoing;
  const at = deps.now().toISOString();
  const line = { id: set.id, at, says: outgoing.words(maxDetailLength) };
  const changes = await deps.ledger.read<ChangesRow>(ledgerKeys.changes(watch));
  const without = { ...current, changeSet: undefined, openState: undefined, openSince: undefined };
  await row.write(without, [{ before: changes, after: withChange(changes, watch, line) }]);

  for (const [metric, value] of outgoing.counts) count(metric, value);
  log.info(logEvents.changeSet, 'change set closed', { watch, changeSet: set.id, starts: set.starts });
  const outcome = { worker, subject: watch, kind: 'applied', detail: line.says } as const;
  await noteOutcomes(deps.ledger, [{ ...outcome, at }], log);
  return [set];
}

/**
 * Stamped at sending, not when the change was found. The next look may finish a dead look's set a
 * day later, and its start must not be late by then. Sent a second time it is the same command by
 * its id, and a command that has its outcome is never run again.
 */
async function sendStart(
  run: string,
  changeSet: string,
  { watch, words }: Outgoing,
  { commands, now, reports }: ChangeSetDeps,
): Promise<void> {
  const command: CampaignRunCommand = {
    version: 1,
    id: commandIds.change(watch, changeSet, run),
    action: 'start',
    run,
    issuedAt: now().toISOString(),
    origin: { kind: 'change', name: watch },
    reason: words(maxReasonLength),
  };
  await commands.send(JSON.stringify(command));
  reports.log.info(logEvents.commandSent, `start of ${run} sent`, { commandId: command.id, run, watch });
}
