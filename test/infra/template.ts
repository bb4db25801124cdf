import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib/core';
import { packageFolder } from '#shared/places.ts';
import { writeAssets } from '#infra/bundle/write-assets.ts';
import { configParts } from '#infra/config/config-parts.ts';
import { loadAutomation } from '#infra/config/load-automation.ts';
import { grantReasonType } from '#infra/constructs/grant-actions.ts';
import { addStage } from '#infra/add-stage.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';

/** Any JSON value of a template. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** One resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: { readonly [key: string]: Json };
  readonly DependsOn?: Json;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** What a property holds, at a path such as `Target.Arn`. */
export function at(value: Json | Resource['Properties'] | undefined, path: string): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Array.isArray(here) ? here[Number(key)] : here[key];
  }
  return here;
}

/** The text at a path; empty if there is none. */
export function textAt(value: Json | Resource['Properties'] | undefined, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

/** A list, also where CloudFormation writes its only item bare. */
export function listOf(value: Json | undefined): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** One synthesized stack. */
export interface StackTemplate {
  readonly name: string;
  readonly terminationProtection: boolean;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: Readonly<Record<string, { readonly Value: Json; readonly Export?: { readonly Name: Json } }>>;
  /**
   * Why its permissions were given: the data of each note, with its intrinsics as the template has
   * them.
   */
  readonly grantReasons: readonly Json[];
  /** The whole template without asset hashes. */
  readonly normalised: unknown;
}

/** The two stacks of a stage. */
export interface StageTemplates {
  readonly state: StackTemplate;
  readonly workers: StackTemplate;
}

/** The example that ships, and one unlike it. */
export const configurations = {
  example: { configPath: join(packageFolder, 'automation.config.ts'), stage: 'prod' },
  exampleLocal: { configPath: join(packageFolder, 'automation.config.ts'), stage: 'local' },
  chaos: { configPath: join(packageFolder, 'automation.config.ts'), stage: 'chaos' },
  webhooks: { configPath: join(import.meta.dirname, 'fixtures', 'with-webhooks.config.ts'), stage: 'prod' },
  second: { configPath: join(import.meta.dirname, 'fixtures', 'second.config.ts'), stage: 'acceptance' },
} as const;

/** A configuration file, and the stage of it. */
export interface Configuration {
  readonly configPath: string;
  readonly stage: string;
  /** Of a stage on this machine. */
  readonly stateFolder?: string;
}

/** What was synthesized, by what it was made of: the files of a worker share it, so none can change it. */
const made = new Map<string, Promise<StageTemplates>>();

/** What was made of the same before, or what this makes. */
export async function onceFor(key: string, make: () => Promise<StageTemplates>): Promise<StageTemplates> {
  const found = made.get(key) ?? make().then(frozen);
  made.set(key, found);
  return found;
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
}

/** Synthesizes a stage of a file that ships as the app does, with cdk.json's flags and stand-ins for the bundles. */
export async function synthesize(configuration: Configuration): Promise<StageTemplates> {
  return onceFor(`${configuration.configPath} ${configuration.stage}`, async () => synthesizeAnew(configuration));
}

/** The same of a file that may have been something else before. */
export async function synthesizeAnew(configuration: Configuration): Promise<StageTemplates> {
  return withStage(configuration, (app, stacks) => {
    const assembly = app.synth();
    const read = (name: string): StackTemplate => {
      const artifact = assembly.getStackByName(name);
      const { Resources, Outputs } = artifact.template;
      return {
        name,
        terminationProtection: artifact.terminationProtection ?? false,
        resources: Resources,
        outputs: Outputs ?? {},
        grantReasons: artifact.findMetadataByType(grantReasonType).map(({ data }) => JSON.parse(JSON.stringify(data))),
        normalised: JSON.parse(JSON.stringify(artifact.template).replaceAll(/[0-9a-f]{64}\.zip/g, 'ASSET.zip')),
      };
    };
    return { state: read(stacks.state.stackName), workers: read(stacks.workers.stackName) };
  });
}

/** Adds a stage to an app, as the app itself does, and takes everything away after its use. */
export async function withStage<Result>(
  configuration: Configuration,
  use: (app: App, stacks: ReturnType<typeof addStage>) => Result | Promise<Result>,
): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'autopilot-infra-'));
  try {
    const bundlesDir = await standInBundles(directory);
    const { automation, numbers } = await loadAutomation(configuration);
    const assets = writeAssets({
      bundlesDir,
      assetsDir: join(directory, 'assets'),
      parts: configParts(automation),
    });
    const { context } = JSON.parse(await readFile(join(packageFolder, 'cdk.json'), 'utf8'));
    const app = new App({ outdir: join(directory, 'cdk.out'), context, builtinCloudFormationValidation: false });
    return await use(app, addStage(app, { automation, numbers, assets, stateFolder: configuration.stateFolder }));
  } finally {
    await rm(directory, { recursive: true });
  }
}

async function standInBundles(directory: string): Promise<string> {
  const bundlesDir = join(directory, 'functions');
  for (const name of functionNames) {
    await mkdir(join(bundlesDir, name), { recursive: true });
    await writeFile(join(bundlesDir, name, 'handler.mjs'), `export const handler = async () => '${name}';\n`);
    await writeFile(join(bundlesDir, name, 'handler.mjs.map'), '{}\n');
  }
  return bundlesDir;
}

/** The resources of one type, by logical id. */
export function ofType(stack: StackTemplate, type: string): [id: string, resource: Resource][] {
  return Object.entries(stack.resources).filter(([, resource]) => resource.Type === type);
}

/** The logical id behind a `Ref`, a `Fn::GetAtt` or, over the stacks, a `Fn::ImportValue`. */
export function targetOf(value: Json | undefined, templates: StageTemplates): string {
  const imported = at(value, 'Fn::ImportValue');
  if (imported !== undefined) {
    const output = Object.values(templates.state.outputs).find(({ Export }) => Export?.Name === imported);
    return targetOf(output?.Value, templates);
  }
  return textAt(value, 'Ref') || textAt(value, 'Fn::GetAtt.0');
}
