import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Says why a configuration file could not be imported: the place with its line, and the source line with its caret where Node quotes one.
 * No more of the file is shown, since a token may stand in it.
 */
export function explainImportFailure(configPath: string, error: unknown): string {
  if (!existsSync(configPath) || statSync(configPath).isDirectory())
    return `there is no file ${configPath}: enter the folder of a stage, or make one with npx autopilot init DIR`;
  if (!(error instanceof Error)) return `${configPath} cannot be read: ${String(error)}`;
  const lines = (error.stack ?? '').split('\n');
  const place = placeOfSyntaxError(lines) ?? placeOfThrow(lines, realpathSync(configPath), error.message) ?? configPath;
  return [`${place} cannot be read: ${error.message}`, ...quotedLine(lines)].join('\n');
}

/** Before the stack of a syntax error Node writes `PATH:LINE`, lines around the fault, and carets below it. */
function placeOfSyntaxError([first = '']: readonly string[]): string | undefined {
  const [, file, line] = /^((?:file:\/\/)?\/.*):(\d+)$/.exec(first) ?? [];
  return file === undefined ? undefined : `${pathOf(file)}:${line}`;
}

function quotedLine(lines: readonly string[]): readonly string[] {
  if (placeOfSyntaxError(lines) === undefined) return [];
  const caret = lines.findIndex((line) => /^\s*\^+\s*$/.test(line));
  return caret < 2 ? [] : lines.slice(caret - 1, caret + 1);
}

/** The first frame in the configuration file itself; else in a file of the person's own that it imports. */
function placeOfThrow(lines: readonly string[], configFile: string, message: string): string | undefined {
  const frames = lines.flatMap((text) => {
    const [, file, line, column] = /^ {4}at .*?(file:\/\/.+?):(\d+):(\d+)\)?$/.exec(text) ?? [];
    return file === undefined ? [] : [{ file: pathOf(file), line: Number(line), column: Number(column) }];
  });
  const frame = frames.find(({ file }) => file === configFile) ?? frames[0];
  if (frame === undefined) return undefined;
  const { file, line, column } = frame;
  const later = lineOfName(file, line, message);
  return later === undefined ? `${file}:${line}:${column}` : `${file}:${later}`;
}

/**
 * Where a name that is not defined stands, if not in the line that the frame names: for `export default nmae(…)` V8 gives the expression
 * before it (seen with Node 24.21, 2026-11).
 */
function lineOfName(file: string, line: number, message: string): number | undefined {
  const [, name] = /^(\S+) is not defined$/.exec(message) ?? [];
  if (name === undefined) return undefined;
  const after = readFileSync(file, 'utf8')
    .split('\n')
    .slice(line - 1);
  const found = after.findIndex((text) => text.includes(name));
  return found > 0 ? line + found : undefined;
}

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}
