/** Errors as AWS answers them. */
import type { JsonObject } from '../template/json.ts';

/** An error as an AWS service would answer it; the writer of the answer chooses the wire format. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;
  /** What a JSON answer holds beside code and message. */
  readonly details: JsonObject;

  constructor(code: string, message: string, status = 400, details: JsonObject = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/**
 * The refusal of an action by a policy. Written as AccessDenied or AccessDeniedException, as the
 * service does.
 */
export class AccessDenied extends AwsError {
  constructor(message: string) {
    super('AccessDenied', message, 403);
  }
}

/** An operation that AWS has and this machine does not. */
export function notEmulated(service: string, operation: string): AwsError {
  return new AwsError('NotEmulated', `${service}:${operation} is not emulated by the local runner`, 501);
}

/** Any thrown value as an error that can be written. */
export function toAwsError(thrown: unknown): AwsError {
  if (thrown instanceof AwsError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new AwsError('InternalFailure', `the local runner failed: ${text}`, 500);
}
