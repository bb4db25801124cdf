import { AppError } from '#shared/errors/app-error.ts';
import { type Step, stepText } from '#shared/text/step.ts';

/** What led to an error of an operator, and what helps. */
export interface ErrorHelp extends Pick<Step, 'command'> {
  readonly cause?: unknown;
}

/**
 * An error that ends what an operator asked for with one sentence and a code; the command turns the code into its exit code.
 * Its message holds the command that helps as well; `step` has the two apart.
 */
export class OperatorError extends AppError {
  override readonly name: string = 'OperatorError';
  readonly step: Step;

  constructor(says: string, { code, cause, command }: ErrorHelp & { readonly code: string }) {
    super(stepText({ says, command }), { code, retryable: false, cause });
    this.step = { says, command };
  }
}

/**
 * What was asked for cannot be done as it was asked; nothing was done. Functions that read what a
 * person typed throw it; their docs do not repeat that.
 */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError';

  constructor(says: string, help: ErrorHelp = {}) {
    super(says, { ...help, code: 'USAGE' });
  }
}

/** The stage cannot be reached. */
export class UnreachableError extends OperatorError {
  override readonly name = 'UnreachableError';

  constructor(says: string, help: ErrorHelp = {}) {
    super(says, { ...help, code: 'UNREACHABLE' });
  }
}
