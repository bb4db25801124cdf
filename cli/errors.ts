import { AppError } from '#shared/errors/app-error.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** An error that ends the command with one sentence and a code. */
export class CliError extends AppError {
  override readonly name: string = 'CliError';
  readonly exitCode: ExitCode;

  constructor(
    message: string,
    options: { readonly exitCode: ExitCode; readonly code: string; readonly cause?: unknown },
  ) {
    super(message, { code: options.code, retryable: false, cause: options.cause });
    this.exitCode = options.exitCode;
  }
}

/** The command line is wrong; nothing was done. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string, cause?: unknown) {
    super(message, { exitCode: exitCodes.usage, code: 'USAGE', cause });
  }
}

/** The stage cannot be reached. */
export class UnreachableError extends CliError {
  override readonly name = 'UnreachableError';

  constructor(message: string, cause?: unknown) {
    super(message, { exitCode: exitCodes.unreachable, code: 'UNREACHABLE', cause });
  }
}
