/**
 * How the stage of a state folder was started. The folder keeps it, so the next start goes on with
 * the same.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { configFileName, stateFolderName } from '../places.ts';

/** What a start is given, or takes by default. */
export interface KeptStart {
  readonly stage: string;
  /** The configuration file, absolute. */
  readonly configPath: string;
  /** The address of a real gateway, or {@link embeddedGateway}. */
  readonly gateway: string;
}

/** Stands for the embedded gateway, also behind `--gateway`. */
export const embeddedGateway = 'embedded';

/** The stage of a start that names none. */
export const usualStage = 'local';

/** The file in a state folder. */
export const keptStartFile = 'start.json';

/** Writes what a folder keeps. The configuration is named from the folder, so both can be moved together. */
export function textOfKeptStart(folder: string, { stage, configPath, gateway }: KeptStart): string {
  return `${JSON.stringify({ stage, config: relative(folder, configPath), gateway })}\n`;
}

/**
 * Reads what a folder keeps. By hand: a schema library would cost every command a third of its start.
 * @throws if it is something else
 */
export function readKeptStart(folder: string): KeptStart {
  const document: unknown = JSON.parse(readFileSync(join(folder, keptStartFile), 'utf8'));
  const [stage, config, gateway] = ['stage', 'config', 'gateway'].map((name) => {
    const value: unknown = typeof document === 'object' && document !== null ? Reflect.get(document, name) : undefined;
    if (typeof value !== 'string' || value === '') throw new TypeError(`no text field "${name}"`);
    return value;
  }) as [string, string, string];
  return { stage, configPath: resolve(folder, config), gateway };
}

/**
 * The words that start the stage of a folder again.
 * @param cwd - the folder in which they are said
 * @param kept - @default what the folder keeps, if that can be read
 */
export function startWords(
  folder: string,
  cwd: string,
  kept: KeptStart | undefined = keptOrNothing(folder),
): readonly string[] {
  const options: readonly (readonly [name: string, value: string | undefined])[] = [
    ['--stage', kept?.stage === usualStage ? undefined : kept?.stage],
    ['--config', kept === undefined ? undefined : unlessUsual(kept.configPath, join(cwd, configFileName))],
    ['--gateway', kept?.gateway === embeddedGateway ? undefined : kept?.gateway],
    ['--data', unlessUsual(folder, join(cwd, stateFolderName))],
  ];
  return ['start', ...options.flatMap(([name, value]) => (value === undefined ? [] : [name, value]))];
}

/** The nearest folder above this one in which a stage has its state. */
export function stageAbove(folder: string): string | undefined {
  const above = dirname(folder);
  if (above === folder) return undefined;
  return existsSync(join(above, stateFolderName, keptStartFile)) ? above : stageAbove(above);
}

function keptOrNothing(folder: string): KeptStart | undefined {
  try {
    return readKeptStart(folder);
  } catch {
    // No stage ran there, or the next start says that the file is damaged.
    return undefined;
  }
}

function unlessUsual(path: string, usual: string): string | undefined {
  return path === usual ? undefined : path;
}

/** A path below the working directory from there, any other one whole. */
export function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') ? path : short;
}
