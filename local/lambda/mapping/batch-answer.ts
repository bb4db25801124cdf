/**
 * Which messages of a batch a function has dealt with, read from its answer exactly as Lambda's event source mapping
 * reads it. What is not dealt with is left in the queue and comes back when its visibility timeout is over. Pure.
 */

/** What becomes of a batch. */
export interface BatchVerdict {
  /** Deleted from the queue. */
  readonly succeeded: readonly string[];
  /** Left in the queue. */
  readonly failed: readonly string[];
  /** Set where the whole batch failed because the answer itself was wrong. */
  readonly problem?: string | undefined;
}

/** The parts of an invocation's result that count. */
export interface BatchAnswer {
  readonly payload: string;
  readonly functionError?: string | undefined;
}

/**
 * Judges a batch.
 *
 * A function error fails it whole. Without ReportBatchItemFailures any other answer is success. With it, no answer, an
 * empty one or an empty list is success too; an identifier that is empty or not of this batch, and an answer of
 * another shape, fail the whole batch.
 */
export function judgeBatch(
  messageIds: readonly string[],
  answer: BatchAnswer,
  reportsItemFailures: boolean,
): BatchVerdict {
  if (answer.functionError !== undefined) return allFailed(messageIds);
  if (!reportsItemFailures) return { succeeded: messageIds, failed: [] };

  const named = failuresNamedBy(answer.payload);
  if (typeof named === 'string') return allFailed(messageIds, named);
  const stranger = named.find((id) => !messageIds.includes(id));
  if (stranger !== undefined) return allFailed(messageIds, `itemIdentifier "${stranger}" is no message of this batch`);
  const failed = new Set(named);
  return {
    succeeded: messageIds.filter((id) => !failed.has(id)),
    failed: messageIds.filter((id) => failed.has(id)),
  };
}

/** The identifiers that an answer names, or what is wrong with it. */
function failuresNamedBy(payload: string): readonly string[] | string {
  const answer = parseJson(payload);
  if (answer === undefined) return 'the answer is not JSON';
  if (answer === null || answer === '') return [];
  if (typeof answer !== 'object' || Array.isArray(answer)) return 'the answer is not an object with batchItemFailures';
  const failures: unknown = 'batchItemFailures' in answer ? answer.batchItemFailures : null;
  if (failures === null) return [];
  if (!Array.isArray(failures)) return 'batchItemFailures is not a list';
  const identifiers = failures.map((item: unknown) => identifierOf(item));
  const named = identifiers.filter((id): id is string => id !== undefined && id !== '');
  return named.length === identifiers.length ? named : 'a batch item failure has no itemIdentifier';
}

function identifierOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || !('itemIdentifier' in item)) return undefined;
  return typeof item.itemIdentifier === 'string' ? item.itemIdentifier : undefined;
}

function parseJson(text: string): unknown {
  if (text === '') return null; // an empty body is an empty answer
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the caller says so: nothing that JSON can hold reads as undefined
  }
}

function allFailed(messageIds: readonly string[], problem?: string): BatchVerdict {
  return { succeeded: [], failed: messageIds, problem };
}
