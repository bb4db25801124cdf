import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { ConfigParts, ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { configQuestion } from '#shared/messages/questions.ts';
import { configParts } from '../config/config-parts.ts';
import { type StagePlace, withDeployedStage } from './deployed-stage.ts';

/** A setting that a deployment changes. */
interface SettingChange {
  /** `runs.nightly.stopAfter`, `schedules.weeknights.expression`. */
  readonly path: string;
  /** As text; absent if there was none. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** The settings that a stage is deployed with, as its worker answers them; undefined if there is no such stage. */
export async function readDeployedSettings(place: StagePlace): Promise<unknown> {
  return withDeployedStage(
    place,
    (settings) => new LambdaClient(settings),
    async (lambda, { AnswerQuestionsFunctionArn }) => {
      const { Payload, FunctionError } = await lambda.send(
        new InvokeCommand({ FunctionName: AnswerQuestionsFunctionArn, Payload: JSON.stringify(configQuestion) }),
      );
      const answer = Payload?.transformToString() ?? '';
      if (FunctionError !== undefined) throw new Error(`${FunctionError}: ${answer.slice(0, 200)}`);
      return JSON.parse(answer);
    },
  );
}

/** Says which settings a deployment changes; nothing of a stage that is not there yet. */
export async function saySettings(
  automation: ResolvedAutomation,
  place: StagePlace,
  deps: { readonly readSettings: typeof readDeployedSettings; readonly stderr: NodeJS.WritableStream },
): Promise<void> {
  for (const line of await settingLines(automation, place, deps)) deps.stderr.write(`${line}\n`);
}

async function settingLines(
  automation: ResolvedAutomation,
  place: StagePlace,
  { readSettings }: { readonly readSettings: typeof readDeployedSettings },
): Promise<readonly string[]> {
  let deployed: unknown;
  try {
    deployed = await readSettings(place);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return ['', `Which settings change is not known, since the deployed stage does not say its own: ${cause}`];
  }
  if (deployed === undefined) return [];
  const written: unknown = JSON.parse(JSON.stringify(configParts(automation)['answer-questions']));
  const changes = changedSettings(deployed, written);
  if (changes.length === 0) return ['', 'No setting of campaigns, schedules, datasets, watches or notices changes.'];
  return ['', 'Settings that change', ...changes.map(lineOf)];
}

function lineOf({ path, before, after }: SettingChange): string {
  if (before === undefined) return `  ${path}: ${after} (new)`;
  return after === undefined ? `  ${path}: ${before} (removed)` : `  ${path}: ${before} → ${after}`;
}

type Part = keyof ConfigParts['answer-questions'];

/** What the configuration file calls the parts that have another name in a worker. */
const names: Readonly<Partial<Record<Part, string>>> = {
  packageWatches: 'scannerPackages',
  projectWatches: 'projects',
  datasetRules: 'datasets',
};

/** Computed from the other settings. */
const computed: ReadonlySet<string> = new Set<Part>(['requestsPerSecond']);

/** What differs between two configurations of a worker, by path. Pure. */
function changedSettings(before: unknown, after: unknown): readonly SettingChange[] {
  const [was, is] = [settingsOf(before), settingsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((path) => was.get(path) !== is.get(path))
    .map((path) => ({ path, before: was.get(path), after: is.get(path) }));
}

function settingsOf(config: unknown): ReadonlyMap<string, string> {
  const parts = Object.entries(config ?? {}).filter(([part]) => !computed.has(part));
  return new Map(
    parts.flatMap(([part, value]) => leaves(Object.entries(names).find(([key]) => key === part)?.[1] ?? part, value)),
  );
}

/** Each value by its path. An entry of a list goes by its name or prefix; a list of texts is one value. */
function leaves(path: string, value: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(value) && value.some((entry) => typeof entry === 'object')) {
    return value.flatMap((entry: unknown, index) => leaves(`${path}.${titleOf(entry) ?? index + 1}`, entry));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => leaves(`${path}.${key}`, inner));
  }
  return [[path, short(typeof value === 'string' ? value : JSON.stringify(value))]];
}

function titleOf(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  // Rules of datasets have a template for a name.
  const title: unknown = Reflect.get(entry, 'prefix') ?? Reflect.get(entry, 'name');
  return typeof title === 'string' ? title : undefined;
}

/** A certificate or a list of ids: two that differ must not look the same, so its length and its end stand too. */
function short(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 40)} … ${text.slice(-40)} (${text.length} characters)`;
}
