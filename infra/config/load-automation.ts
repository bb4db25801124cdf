import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ConfigProblem } from '#shared/config/schema/names.ts';
import { checkBaseUrl } from '#shared/gateway-client/addresses.ts';
import { isLoopbackUrl } from '#shared/net/loopback.ts';
import { usualGatewayUrl } from '#shared/places.ts';
import { printedLine } from '#shared/text/printed-line.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { type StageNumbers, stageNumbers } from './stage-numbers.ts';
import { ConfigurationError } from './configuration-error.ts';

/** Which document to take, and what to change in it. */
export interface LoadOptions {
  /** The configuration file, absolute or from the working directory. */
  readonly configPath: string;
  readonly stage: string;
  /**
   * Takes the place of `gateway.baseUrl`: the address of the gateway on one machine. @default as
   * configured
   */
  readonly gatewayBaseUrl?: string | undefined;
  /**
   * A person named that address: the stage runs on one machine against a gateway of its own. @default
   * it is the embedded gateway's
   */
  readonly isGatewayNamed?: boolean;
}

/**
 * Reads the configuration file and resolves one stage of it.
 * @throws ConfigurationError with every problem on a line of its own
 */
export async function loadAutomation(options: LoadOptions): Promise<ResolvedStage> {
  const { configPath, stage, gatewayBaseUrl, isGatewayNamed = false } = options;
  const numbers = stageNumbers(stage);
  const document = pickStage(await importStages(configPath), stage, numbers, configPath);
  const configured = addressIn(document);
  if (gatewayBaseUrl !== undefined && !isGatewayNamed && isLoopbackUrl(gatewayBaseUrl) && !numbers.isLocal) {
    // The check of the document would blame its own address, which is another one.
    throw new ConfigurationError(
      `the stage ${stage} runs on this machine only against a gateway of its own: add --gateway ${configured ?? 'https://…'} (the stage local has the embedded one)`,
    );
  }
  const resolved = resolveStage(stage, withBaseUrl(document, gatewayBaseUrl), {
    source: configPath,
    folder: dirname(configPath),
    isGatewayNamed,
  });
  const warnings = [
    ...unusedAddress(configured, resolved.automation.gateway.baseUrl, isGatewayNamed),
    ...resolved.warnings,
  ];
  return { ...resolved, warnings };
}

/** The address of a document, unless it could not be called: such a text may hold a password. */
function addressIn(document: unknown): string | undefined {
  const gateway: unknown =
    typeof document === 'object' && document !== null ? Reflect.get(document, 'gateway') : undefined;
  const text: unknown = typeof gateway === 'object' && gateway !== null ? Reflect.get(gateway, 'baseUrl') : undefined;
  const read = typeof text === 'string' ? checkBaseUrl(text, { isLocalStage: true }) : undefined;
  return read?.ok === true ? read.value : undefined;
}

/** A person who configured an address believes that it is called. That of the embedded gateway stands for whichever is. */
function unusedAddress(
  configured: string | undefined,
  used: string,
  isGatewayNamed: boolean,
): readonly ConfigProblem[] {
  if (configured === undefined || configured === used || configured === usualGatewayUrl) return [];
  const calls = isGatewayNamed
    ? `this start calls ${used}.`
    : `this start calls the embedded gateway at ${used}; --gateway ${configured} calls yours.`;
  return [{ path: 'gateway.baseUrl', message: `${configured} is not used: ${calls}` }];
}

async function importStages(configPath: string): Promise<Readonly<Record<string, unknown>>> {
  const module = await importFile(configPath);
  const stages: unknown = 'default' in module ? module.default : undefined;
  if (typeof stages !== 'object' || stages === null || Array.isArray(stages)) {
    throw new ConfigurationError(
      `${configPath}: its default export is to be a record of stages: export default defineStages({ local: { … } });`,
    );
  }
  return { ...stages };
}

async function importFile(configPath: string): Promise<object> {
  const url = pathToFileURL(resolve(configPath)).href;
  try {
    const module: unknown = await import(url);
    return typeof module === 'object' && module !== null ? module : {};
  } catch (error) {
    throw new ConfigurationError(explainImportFailure(configPath, error), { cause: error });
  }
}

function pickStage(
  stages: Readonly<Record<string, unknown>>,
  stage: string,
  numbers: StageNumbers,
  configPath: string,
): unknown {
  for (const name of [stage, numbers.documentOf]) {
    if (name !== undefined && Object.hasOwn(stages, name)) return stages[name];
  }
  if ('gateway' in stages && 'campaigns' in stages) {
    throw new ConfigurationError(
      `${configPath}: its default export is one document; put it under the name of its stage: export default defineStages({ ${stage}: { … } });`,
    );
  }
  const there = Object.keys(stages).join(', ') || 'none';
  throw new ConfigurationError(`${configPath} has no stage "${stage}"; it has: ${there}`);
}

function withBaseUrl(document: unknown, baseUrl: string | undefined): unknown {
  if (baseUrl === undefined || typeof document !== 'object' || document === null || !('gateway' in document))
    return document;
  const { gateway } = document;
  return typeof gateway === 'object' ? { ...document, gateway: { ...gateway, baseUrl } } : document;
}

/**
 * Says why a configuration file could not be imported: the place with its line, and the source line with its caret where Node quotes one.
 * No more of the file is shown, since a token may stand in it.
 */
function explainImportFailure(configPath: string, error: unknown): string {
  if (!existsSync(configPath) || statSync(configPath).isDirectory())
    return `there is no file ${configPath}: enter the folder of a stage, or make one in the folder DIR: ${printedLine(['init', 'DIR'])}`;
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
 * The place of an undefined name, if it is not in the line that the frame names. For
 * `export default nmae(…)` V8 gives the expression before it (seen with Node 24.21, 2026-11).
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

/** A stage, checked. */
export interface ResolvedStage {
  readonly automation: ResolvedAutomation;
  readonly numbers: StageNumbers;
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Checks the document of a stage and resolves it, wherever it comes from.
 * @param from.source - the beginning of the message: the place of the document
 * @param from.folder - the folder of the files that the document names
 * @param from.isGatewayNamed - a person named the gateway's address, which may be on this machine
 * @throws ConfigurationError with every problem on a line of its own
 */
export function resolveStage(
  stage: string,
  document: unknown,
  from: { readonly source: string; readonly folder: string; readonly isGatewayNamed?: boolean },
): ResolvedStage {
  const numbers = stageNumbers(stage);
  const result = resolveAutomation(stage, document, {
    isLocalStage: numbers.isLocal,
    isGatewayNamed: from.isGatewayNamed,
    now: new Date(),
    readText: (path) => readFileSync(resolve(from.folder, path), 'utf8'),
  });
  if (!result.ok) {
    const count = result.problems.length === 1 ? 'one problem' : `${result.problems.length} problems`;
    throw new ConfigurationError(`${from.source}, stage ${stage}: ${count}\n${formatProblems(result.problems)}`);
  }
  return { automation: result.automation, numbers, warnings: result.warnings };
}

/** One line for each: `  schedules[0].at: "cron(0)": a cron expression has six fields …`. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`).join('\n');
}
