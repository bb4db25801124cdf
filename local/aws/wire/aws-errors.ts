/** Errors as AWS services answer them. */

/** An error as an AWS service would answer it; the writer of the answer chooses the wire format. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;
  /** The code of the older Query protocol, where clients still look for it (SQS). */
  readonly queryCode: string | undefined;

  constructor(code: string, message: string, options: { status?: number; queryCode?: string } = {}) {
    super(message);
    this.code = code;
    this.status = options.status ?? 400;
    this.queryCode = options.queryCode;
  }
}

/**
 * The refusal of an action by a policy. Written as AccessDenied or AccessDeniedException, as the
 * service does.
 */
export class AccessDenied extends AwsError {
  constructor(message: string) {
    super('AccessDenied', message, { status: 403 });
  }
}
