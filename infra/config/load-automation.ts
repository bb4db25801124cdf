import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConfigProblem } from '../../shared/config/config-problem.ts';
import { resolveAutomation } from '../../shared/config/resolve-automation.ts';
import type { ResolvedAutomation } from '../../shared/config/resolved-automation.ts';
import { type StageNumbers, stageNumbers } from './stage-numbers.ts';

/** Which document to take, and what to change in it. */
export interface LoadOptions {
  /** The configuration file, absolute or from the working directory. */
  readonly configPath: string;
  readonly stage: string;
  /** Takes the place of `gateway.baseUrl`: where the run on one machine finds its gateway. @default as configured */
  readonly gatewayBaseUrl?: string | undefined;
}

/** A stage, checked. */
export interface LoadedAutomation {
  readonly automation: ResolvedAutomation;
  readonly numbers: StageNumbers;
  readonly warnings: readonly ConfigProblem[];
}

/** The configuration cannot be deployed; the message is for the person who wrote it, and no stack trace would help. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/**
 * Reads the configuration file and resolves one stage of it.
 * @throws ConfigurationError with every problem on a line of its own
 */
export async function loadAutomation(options: LoadOptions): Promise<LoadedAutomation> {
  const { configPath, stage, gatewayBaseUrl } = options;
  const numbers = stageNumbers(stage);
  const document = pickStage(await importStages(configPath), stage, numbers, configPath);
  const result = resolveAutomation(stage, withBaseUrl(document, gatewayBaseUrl), {
    isLocalStage: numbers.isLocal,
    now: new Date(),
  });
  if (!result.ok) {
    const count = result.problems.length === 1 ? 'one problem' : `${result.problems.length} problems`;
    throw new ConfigurationError(`${configPath}, stage ${stage}: ${count}\n${formatProblems(result.problems)}`);
  }
  return { automation: result.automation, numbers, warnings: result.warnings };
}

/** One line for each: `  schedules[0].at: "cron(0)": a cron expression has six fields …`. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`).join('\n');
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
    throw new ConfigurationError(
      `${configPath} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
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
  const there = Object.keys(stages).join(', ') || 'none';
  throw new ConfigurationError(`${configPath} has no stage "${stage}"; it has: ${there}`);
}

function withBaseUrl(document: unknown, baseUrl: string | undefined): unknown {
  if (baseUrl === undefined || typeof document !== 'object' || document === null || !('gateway' in document))
    return document;
  const { gateway } = document;
  return typeof gateway === 'object' ? { ...document, gateway: { ...gateway, baseUrl } } : document;
}
