import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { at, type Json, listOf, type Resource, type StackTemplate, type StageTemplates, textAt } from '../template.ts';
import { allOptions, options } from './options.ts';
import { type Changes, stageWith } from './stage-with.ts';

/** What a version deployed, as far as an upgrade can hurt it. */
export interface ReleasedStage {
  /** Of the stack of the state, by logical id. */
  readonly state: Readonly<Record<string, Pick<Resource, 'Type' | 'Properties'>>>;
  readonly exports: readonly string[];
  /** Who may do what: `LOGICAL-ID Allow ACTION on RESOURCE`. */
  readonly permissions: readonly string[];
}

/** Each option of docs/deploying.md by itself, none, and all together. */
const changesByOption: Readonly<Record<string, Changes>> = {
  none: {},
  ...Object.fromEntries(Object.entries(options).map(([name, { changes }]) => [name, changes])),
  all: allOptions,
};

/** The names of the options that are compared. */
export const optionNames: readonly string[] = Object.keys(changesByOption);

/** Synthesizes a stage of this version with an option. */
export async function stageOfOption(name: string): Promise<ReleasedStage> {
  const stage = await stageWith(changesByOption[name] ?? {}, 'prod');
  return {
    state: Object.fromEntries(
      Object.entries(stage.state.resources).map(([id, { Type, Properties }]) => [id, { Type, Properties }]),
    ),
    exports: Object.values(stage.state.outputs)
      .map(({ Export }) => textAt(Export, 'Name'))
      .filter((exported) => exported !== ''),
    permissions: permissionsOf(stage),
  };
}

function permissionsOf({ state, workers }: StageTemplates): string[] {
  return [state, workers].flatMap(({ resources }: StackTemplate) =>
    Object.entries(resources).flatMap(([id, { Properties }]) =>
      listOf(at(Properties, 'PolicyDocument.Statement')).flatMap((statement) => linesOf(id, statement)),
    ),
  );
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

function linesOf(id: string, statement: Json): string[] {
  const resources = listOf(at(statement, 'Resource')).map(textOf);
  const limits = JSON.stringify(at(statement, 'Condition') ?? {});
  return listOf(at(statement, 'Action')).flatMap((action) =>
    resources.map((resource) => `${id} ${textAt(statement, 'Effect')} ${textOf(action)} on ${resource} if ${limits}`),
  );
}

const released = join(import.meta.dirname, 'released');
const suffix = '.templates.json.gz';

/** The versions whose templates are kept. */
export const templateVersions: readonly string[] = (existsSync(released) ? readdirSync(released) : [])
  .filter((name) => name.endsWith(suffix))
  .map((name) => name.replace(suffix, ''));

/** By option: what the version deployed. */
export function readReleased(version: string): Readonly<Record<string, ReleasedStage>> {
  return JSON.parse(gunzipSync(readFileSync(join(released, `${version}${suffix}`))).toString());
}

/** Keeps what this version deploys, as that of a release: once, at its tag. */
export async function writeReleased(version: string): Promise<void> {
  const stages: Record<string, ReleasedStage> = {};
  for (const name of optionNames) stages[name] = await stageOfOption(name);
  mkdirSync(released, { recursive: true });
  writeFileSync(join(released, `${version}${suffix}`), gzipSync(JSON.stringify(stages), { level: 9 }));
}
