import { toError } from '#shared/errors/app-error.ts';

/** Parts of a tick that have nothing to do with each other: one that fails keeps none of the others from being done. */

/** What is done next, however the part before ended. */
export async function afterwards<Answer>(before: Promise<unknown>, next: () => Promise<Answer>): Promise<Answer> {
  await Promise.allSettled([before]);
  return next();
}

/**
 * Does the same with each, one after the other.
 * @throws at the end what failed; several failures as one AggregateError
 */
export async function doEach<Item>(items: Iterable<Item>, act: (item: Item) => Promise<void>): Promise<void> {
  const failures: Error[] = [];
  for (const item of items) {
    await act(item).catch((error: unknown) => void failures.push(toError(error)));
  }
  const [first, ...others] = failures;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  throw new AggregateError(failures, failures.map(({ message }) => message).join('; '));
}
