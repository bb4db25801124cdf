import type { AutomationDocument } from '../automation.ts';
import { automationSchema } from '../schema/automation-schema.ts';
import type { ReadText } from '../ca-bundle.ts';
import { configWarnings } from '../references/config-warnings.ts';
import type { ConfigProblem } from '../config-problem.ts';
import { crossReferenceProblems } from '../references/cross-references.ts';
import { doubtWarnings } from '../references/doubt-warnings.ts';
import { problemsOf } from '../schema/issue-sentences.ts';
import { stagePattern, stageRule } from '../names.ts';
import { resolveDocument } from './resolve-document.ts';
import { scheduleWarnings } from '../references/schedule-warnings.ts';
import type { ResolvedAutomation } from './resolved-automation.ts';

/** What a stage's document comes to: everything that ships, or everything that is wrong. */
export type AutomationResult =
  | { readonly ok: true; readonly automation: ResolvedAutomation; readonly warnings: readonly ConfigProblem[] }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/**
 * Checks a stage's document and makes the one that ships of it. Every problem is reported at once, with its path and what would be
 * right: cross references are checked even where the structure is broken elsewhere.
 * @example resolveAutomation('prod', stages.prod, { isLocalStage: false, now: new Date() })
 */
export function resolveAutomation(
  stage: string,
  document: unknown,
  options: {
    readonly isLocalStage: boolean;
    readonly now: Date;
    /** For the files that the document names. @default none can be read */
    readonly readText?: ReadText;
  },
): AutomationResult {
  const parsed = automationSchema(options).safeParse(document, { reportInput: true });
  const problems = [
    ...(stagePattern.test(stage) ? [] : [{ path: '', message: `"${stage}" cannot name a stage: ${stageRule}.` }]),
    ...(parsed.success ? [] : problemsOf(parsed.error.issues)),
    ...crossReferenceProblems(document, options.now),
  ];
  if (problems.length > 0 || !parsed.success) return { ok: false, problems: inDocumentOrder(problems) };
  const automation = resolveDocument(stage, parsed.data, options);
  const warnings = [
    ...configWarnings(parsed.data, options),
    ...doubtWarnings(parsed.data, automation),
    ...scheduleWarnings(automation, options.now),
  ];
  return { ok: true, automation, warnings: inDocumentOrder(warnings) };
}

const sectionOrder: readonly string[] = [
  '',
  'gateway',
  'mode',
  'timezone',
  'campaigns',
  'schedules',
  'blackouts',
  'scannerPackages',
  'projects',
  'datasets',
  'runPlans',
  'notify',
  'deployment',
] satisfies readonly (keyof AutomationDocument | '')[];

/** By section, then as found: people correct a file from its top. */
function inDocumentOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  return problems.toSorted((a, b) => sectionRank(a) - sectionRank(b));
}

function sectionRank({ path }: ConfigProblem): number {
  const index = sectionOrder.indexOf(path.split(/[.[]/)[0] ?? '');
  return index === -1 ? sectionOrder.length : index;
}
