import type { OutcomeBus } from '#shared/aws/outcome-bus.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { recordLinkTest } from '#shared/ledger/link-tests.ts';
import type { LinkTest } from '#shared/messages/link-test.ts';
import { eventTypes } from '#shared/vocabulary/event-types.ts';
import type { FunctionName } from '#shared/vocabulary/function-names.ts';
import type { Outcome, RecordResult } from './outcome.ts';
import type { QueueRecord, RecordContext } from './queue-worker.ts';
import { reportOnce } from './report-once.ts';

/** What ending a mark needs. */
export interface LinkTestDeps {
  readonly ledger: Ledger;
  readonly bus: OutcomeBus;
  readonly random: () => number;
  readonly worker: FunctionName;
}

/**
 * Ends a mark of `autopilot doctor --deep`: its row in the ledger and its event on the bus, as work has them, and nothing else. The gateway is
 * not called, and no gate or switch is asked.
 */
export async function endLinkTest(
  test: LinkTest,
  delivery: { readonly record: QueueRecord; readonly context: RecordContext },
  { ledger, bus, random, worker }: LinkTestDeps,
): Promise<RecordResult> {
  const { id, link } = test;
  const now = delivery.context.now();
  const detail = `a test of the links by autopilot doctor --deep, sent as ${link}`;
  const { isRepeat } = await recordLinkTest(ledger, test, { worker, detail, now });
  const outcome: Outcome = { kind: 'ignored', subject: `link test ${id}`, detail };
  const event = { eventId: `link-test:${id}`, linkTest: id, link, worker, at: now.toISOString() };
  const followUp = () => bus.publish(eventTypes.linkTested, event);
  return reportOnce(outcome, { isRepeat, followUp }, { ...delivery, random });
}
