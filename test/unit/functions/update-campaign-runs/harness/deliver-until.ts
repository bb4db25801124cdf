import type { RecordResult } from '#functions/_handler/observe.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { createUpdateBench, Delivery } from './update-bench.ts';

/** An instant so many minutes after ten. */
export const at = (minutes: number, seconds = 0) =>
  Date.parse('2026-11-20T22:00:00Z') + minutes * 60_000 + seconds * 1000;

/** Delivers messages in order of time, and again as their worker asks, until an instant. */
export async function deliverUntil(
  bench: ReturnType<typeof createUpdateBench>,
  messages: readonly { readonly atMs: number; readonly command: CampaignRunCommand }[],
  untilMs: number,
  delivery: Delivery = {},
): Promise<void> {
  const queue = messages.map((one) => ({ ...one, receiveCount: 1 }));
  for (;;) {
    queue.sort((a, b) => a.atMs - b.atMs);
    const next = queue.shift();
    if (next === undefined || next.atMs > untilMs) return;
    bench.passMs(Math.max(0, next.atMs - bench.now().getTime()));
    const { command, receiveCount } = next;
    const result: RecordResult = await bench.deliver(command, { ...delivery, receiveCount });
    if (result.kind !== 'later') continue;
    const againMs = bench.now().getTime() + Math.max(1, result.delayMs);
    queue.push({ command, atMs: againMs, receiveCount: receiveCount + 1 });
  }
}
