import { diskProblem } from '#shared/state-folder/disk-problem.ts';
import { AppError } from '#shared/errors/app-error.ts';

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

/** A store of the state could not be read or written while it was open; its cause is what the store says. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed';
}

/**
 * What was thrown, if it is a sentence for that person; a port may be taken between the first look at it and its use.
 * @param dataDir - the folder of the state, on whose disk an error that names no file came up
 */
export function asStartProblem(error: unknown, dataDir?: string): StartProblem | undefined {
  if (error instanceof StartProblem) return error;
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && error.code === 'EADDRINUSE') {
    const port = 'port' in error ? String(error.port) : '';
    return new StartProblem(`port ${port} is in use: end what listens there, or choose another`, { cause: error });
  }
  const path = 'path' in error && typeof error.path === 'string' ? error.path : dataDir;
  const problem = path === undefined || isOfPort(error) ? undefined : diskProblem(path, error);
  return problem === undefined ? undefined : new StartProblem(problem, { cause: error });
}

/** Returns true for SQLite's error 5: another process holds the lock of the file. */
export function isInUse(error: unknown): error is Error {
  return sqliteCode(error) === 5;
}

/**
 * Opens or reads a file of the state.
 * @throws StartProblem with the file's name if it is damaged, since its content came from an earlier run and no code can mend it. Also if the
 * disk refuses it: then it may be whole
 */
export function fromState<Read>(path: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    // What has no code is thrown by a parser: the file holds something else than a stage wrote.
    throw explained(path, error, isDamage(error) || codeOf(error) === undefined);
  }
}

/** The same for a store that is opened in several steps. */
export async function fromStateLater<Read>(path: string, read: () => Promise<Read>): Promise<Read> {
  try {
    return await read();
  } catch (error) {
    const cause = error instanceof StoreFailed ? error.cause : error;
    throw explained(path, cause, isDamage(cause));
  }
}

function explained(path: string, error: unknown, isDamaged: boolean): unknown {
  // A port that is taken says nothing about the file.
  if (error instanceof StartProblem || isOfPort(error)) return error;
  if (isInUse(error)) {
    return new StartProblem(`${path} is in use: end the program that has it open, or name another folder with --data`, {
      cause: error,
    });
  }
  const problem = diskProblem(path, error);
  if (problem !== undefined) return new StartProblem(problem, { cause: error });
  // A parser quotes what it read, which may be a secret.
  const isOwnWords = error instanceof Error && ('code' in error || error.name === 'Error');
  const why = isOwnWords ? error.message : 'it holds something else than a stage wrote';
  const advice = isDamaged
    ? `is damaged (${why}): put back a copy of it, or start empty with --fresh`
    : `cannot be used (${why}): name another folder with --data`;
  return new StartProblem(`${path} ${advice}`, { cause: error });
}

/** Damage is what a store calls so: SQLite's corrupt (11) and not a database (26), and LevelDB, which hides its reason. */
function isDamage(error: unknown): boolean {
  return [11, 26].includes(sqliteCode(error) ?? 0) || codeOf(error)?.startsWith('LEVEL_') === true;
}

/** Without the extended codes. */
function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

/** Of the system or a store; the errors of our own parsers have codes too. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && !(error instanceof AppError) && 'code' in error ? String(error.code) : undefined;
}

function isOfPort(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'listen';
}
