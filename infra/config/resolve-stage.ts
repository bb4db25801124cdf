import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ConfigProblem } from '#shared/config/config-problem.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { ConfigurationError } from './configuration-error.ts';
import { type StageNumbers, stageNumbers } from './stage-numbers.ts';

/** A stage, checked. */
export interface ResolvedStage {
  readonly automation: ResolvedAutomation;
  readonly numbers: StageNumbers;
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Checks the document of a stage and resolves it, wherever it comes from.
 * @param from.source - what the message begins with: where the document is written
 * @param from.folder - where the files lie that the document names
 * @throws ConfigurationError with every problem on a line of its own
 */
export function resolveStage(
  stage: string,
  document: unknown,
  from: { readonly source: string; readonly folder: string },
): ResolvedStage {
  const numbers = stageNumbers(stage);
  const result = resolveAutomation(stage, document, {
    isLocalStage: numbers.isLocal,
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
