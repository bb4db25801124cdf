/** A sentence for the person who typed the command, and nothing else. */
export class StartProblem extends Error {
  override readonly name = 'StartProblem';
  /** As the commands of the operator have them: 2 for what the person wrote. */
  readonly exitCode: number;

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? 1;
  }
}

/** What was thrown, if it is a sentence for that person; a port may be taken between the first look at it and its use. */
export function asStartProblem(error: unknown): StartProblem | undefined {
  if (error instanceof StartProblem) return error;
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return undefined;
  const port = 'port' in error ? String(error.port) : '';
  return new StartProblem(`port ${port} is in use: end what listens there, or choose another`, { cause: error });
}

/** Returns true for SQLite's error 5: another process holds the lock of the file. */
export function isInUse(error: unknown): error is Error {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

/**
 * Opens or reads a file of the state.
 * @throws StartProblem with the file's name if it is damaged, since its content came from an earlier run and no code can mend it
 */
export function fromState<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw damaged(path, error);
  }
}

/** The same for what is opened in several steps. */
export async function fromStateLater<Read>(path: string, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    throw damaged(path, error);
  }
}

function damaged(path: string, error: unknown): unknown {
  // A port that is taken says nothing about the file.
  const isOfFile = !(error instanceof Error && 'syscall' in error && error.syscall === 'listen');
  if (error instanceof StartProblem || !isOfFile) return error;
  if (isInUse(error)) {
    return new StartProblem(`${path} is in use: end the program that has it open, or name another folder with --data`, {
      cause: error,
    });
  }
  // A parser quotes what it read, which may be a secret.
  const isOwnWords = error instanceof Error && ('code' in error || error.name === 'Error');
  const why = isOwnWords ? error.message : 'it holds something else than a stage wrote';
  return new StartProblem(`${path} is damaged (${why}): put back a copy of it, or start empty with --fresh`, {
    cause: error,
  });
}
