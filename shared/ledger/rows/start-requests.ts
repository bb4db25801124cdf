/** The requests of a start, as its row keeps them. Pure. */
import type { CommandRow } from './command-row.ts';

/** The requests of a start: between its first and its last one are only more of them. */
export interface StartRequests {
  readonly count: number;
  readonly first: StartRequest;
  readonly last: StartRequest;
}

/** A request that left. */
interface StartRequest {
  /** Its `x-request-id`. */
  readonly id: string;
  readonly at: string;
  readonly startAt: string;
  /** It held a word that starts a run at once, or at `startAt`. */
  readonly isWord?: true;
  readonly answer?: RequestAnswer;
}

/** What answered a request, and what that says. */
interface RequestAnswer {
  readonly at: string;
  readonly applied: 'yes' | 'no' | 'unknown';
  readonly status?: number;
  readonly code?: string;
}

/** The row of a start with one more request. */
export function withRequest(row: CommandRow, request: StartRequest): CommandRow {
  const { count = 0, first = request } = row.requests ?? {};
  return { ...row, startAt: request.startAt, requests: { count: count + 1, first, last: request } };
}

/** The row of a start with the answer to its last request. After a refusal an earlier request counts that may have been taken. */
export function withAnswer(row: CommandRow, answer: RequestAnswer): CommandRow {
  const { requests } = row;
  if (requests === undefined) return row;
  const last = { ...requests.last, answer };
  const first = requests.count === 1 ? last : requests.first;
  const counts = answer.applied === 'no' && first.answer?.applied !== 'no' ? first : last;
  return { ...row, startAt: counts.startAt, requests: { ...requests, first, last } };
}
