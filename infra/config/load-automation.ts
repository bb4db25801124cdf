import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigurationError } from './configuration-error.ts';
import { type ResolvedStage, resolveStage } from './resolve-stage.ts';
import { explainImportFailure } from './explain-import-failure.ts';
import { type StageNumbers, stageNumbers } from './stage-numbers.ts';

/** Which document to take, and what to change in it. */
export interface LoadOptions {
  /** The configuration file, absolute or from the working directory. */
  readonly configPath: string;
  readonly stage: string;
  /** Takes the place of `gateway.baseUrl`: where the run on one machine finds its gateway. @default as configured */
  readonly gatewayBaseUrl?: string | undefined;
}

/**
 * Reads the configuration file and resolves one stage of it.
 * @throws ConfigurationError with every problem on a line of its own
 */
export async function loadAutomation(options: LoadOptions): Promise<ResolvedStage> {
  const { configPath, stage, gatewayBaseUrl } = options;
  const document = pickStage(await importStages(configPath), stage, stageNumbers(stage), configPath);
  return resolveStage(stage, withBaseUrl(document, gatewayBaseUrl), {
    source: configPath,
    folder: dirname(configPath),
  });
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
