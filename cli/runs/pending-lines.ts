import { columns } from '../terminal/output.ts';
import type { When } from '../terminal/times.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import {
  type PendingCommand,
  type PendingWork,
  reasonOf,
  refusedWords,
  triesOf,
} from '#operator/outcomes/pending-work.ts';

/** One line each: which, since when, how often, what it waits for, why the last request failed, and when it is tried again. */
export function pendingLines(pending: readonly PendingWork[], { at }: When, paint: Paint): readonly string[] {
  const rows = pending.map((one) => [
    `${one.isObserved === true ? 'observed: ' : ''}${one.id}`,
    one.run ?? one.campaignRunId ?? '',
    `since ${at(one.since)}`,
    triesOf(one),
    reasonOf(one),
    one.nextTryAt === undefined ? '' : `next try ${at(one.nextTryAt)}`,
  ]);
  return columns(rows).map((line, index) => (pending[index]?.lastError === undefined ? line : paint('yellow', line)));
}

/** The same for one piece of work, a line for each fact. */
export function pendingFacts(
  pending: PendingWork & Pick<PendingCommand, 'mayHaveRun'>,
  { at }: When,
): readonly (readonly [string, string])[] {
  const { since, lastError, waitsFor, nextTryAt, mayHaveRun } = pending;
  const facts: readonly (readonly [string, string])[] = [
    ['pending', `since ${at(since)}, ${triesOf(pending)}`],
    ['waits for', waitsFor ?? ''],
    ['last error', lastError === waitsFor ? '' : (lastError ?? '')],
    ['refused', refusedWords(pending) ?? ''],
    ['next try', nextTryAt === undefined ? '' : at(nextTryAt)],
    ['may have run', mayHaveRun === undefined ? '' : `from ${at(mayHaveRun.from)} until ${at(mayHaveRun.until)}`],
  ];
  return facts.filter(([, text]) => text !== '');
}
