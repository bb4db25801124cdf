/** Waiting that ends early when the gateway closes. */
import { setTimeout as delay } from 'node:timers/promises';

/** Waits that long, or until `closing`; never throws. */
export async function pause(milliseconds: number, closing: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal: closing });
  } catch (error) {
    if (!closing.aborted) throw error;
  }
}
