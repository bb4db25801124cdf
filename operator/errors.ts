import { AppError } from '#shared/errors/app-error.ts';

/** An error that ends what an operator asked for with one sentence and a code; the command turns the code into its exit code. */
export class OperatorError extends AppError {
  override readonly name: string = 'OperatorError';

  constructor(message: string, options: { readonly code: string; readonly cause?: unknown }) {
    super(message, { code: options.code, retryable: false, cause: options.cause });
  }
}

/** What was asked for cannot be done as it was asked; nothing was done. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError';

  constructor(message: string, cause?: unknown) {
    super(message, { code: 'USAGE', cause });
  }
}

/** The stage cannot be reached. */
export class UnreachableError extends OperatorError {
  override readonly name = 'UnreachableError';

  constructor(message: string, cause?: unknown) {
    super(message, { code: 'UNREACHABLE', cause });
  }
}
