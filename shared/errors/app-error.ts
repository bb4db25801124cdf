/** What every error of this project says about itself. */
export interface AppErrorOptions {
  /** Stable, UPPER_SNAKE: logs, alarms and the runbook name it. */
  readonly code: string;
  /**
   * Whether the same call may succeed later without a person. Whether it is *safe* to repeat is
   * another question.
   */
  readonly retryable: boolean;
  /** What led to it. Never an object that carries a secret. */
  readonly cause?: unknown;
}

/** The one base of all errors that we throw on purpose. */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  /** Stable, UPPER_SNAKE. */
  readonly code: string;
  /** Whether the same call may succeed later without a person. */
  readonly retryable: boolean;

  constructor(message: string, options: AppErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retryable = options.retryable;
  }
}

/** Says whether a thrown value may heal without a person: it may, unless it says otherwise. */
export function healsByItself(caught: unknown): boolean {
  return !(caught instanceof AppError) || caught.retryable;
}

/** Makes an Error of a thrown value; an Error stays itself. Never throws. */
export function toError(caught: unknown): Error {
  if (caught instanceof Error) return caught;
  if (typeof caught === 'string') return new Error(caught);
  return new Error(`a value that is no Error was thrown (${caught === null ? 'null' : typeof caught})`, {
    cause: caught,
  });
}
