import * as z from 'zod';
import { AppError } from '#shared/errors/app-error.ts';

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
