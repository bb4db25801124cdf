import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib/core';
import { projectRoot } from '../../infra/bundle/build-functions.ts';
import { writeAssets } from '../../infra/bundle/write-assets.ts';
import { configParts } from '../../infra/config/config-parts.ts';
import { loadAutomation } from '../../infra/config/load-automation.ts';
import { addStage } from '../../infra/stacks/add-stage.ts';
import { functionNames } from '../../shared/vocabulary/function-names.ts';

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

/** One synthesized stack. */
export interface StackTemplate {
  readonly name: string;
  readonly terminationProtection: boolean;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: Readonly<Record<string, { readonly Value: Json; readonly Export?: { readonly Name: Json } }>>;
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
  example: { configPath: join(projectRoot, 'automation.config.ts'), stage: 'prod' },
  exampleLocal: { configPath: join(projectRoot, 'automation.config.ts'), stage: 'local' },
  chaos: { configPath: join(projectRoot, 'automation.config.ts'), stage: 'chaos' },
  second: { configPath: join(import.meta.dirname, 'fixtures', 'second.config.ts'), stage: 'acceptance' },
} as const;

/** Synthesizes a stage as the app does, with cdk.json's flags and stand-ins for the bundles. */
export async function synthesize(configuration: { configPath: string; stage: string }): Promise<StageTemplates> {
  const directory = await mkdtemp(join(tmpdir(), 'autopilot-infra-'));
  const bundlesDir = await standInBundles(directory);
  const { automation, numbers } = await loadAutomation(configuration);
  const assets = await writeAssets({
    bundlesDir,
    assetsDir: join(directory, 'assets'),
    parts: configParts(automation),
  });
  const { context } = JSON.parse(await readFile(join(projectRoot, 'cdk.json'), 'utf8'));
  const app = new App({ outdir: join(directory, 'cdk.out'), context, builtinCloudFormationValidation: false });
  const stacks = addStage(app, { automation, numbers, assets });
  const assembly = app.synth();

  const read = (name: string): StackTemplate => {
    const artifact = assembly.getStackByName(name);
    const { Resources, Outputs } = artifact.template;
    return {
      name,
      terminationProtection: artifact.terminationProtection ?? false,
      resources: Resources,
      outputs: Outputs ?? {},
      normalised: JSON.parse(JSON.stringify(artifact.template).replaceAll(/[0-9a-f]{64}\.zip/g, 'ASSET.zip')),
    };
  };
  const templates = { state: read(stacks.state.stackName), workers: read(stacks.workers.stackName) };
  await rm(directory, { recursive: true });
  return templates;
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

/** What a property holds, at a path such as `Target.Arn`. */
export function at(value: Json | Resource['Properties'] | undefined, path: string): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Array.isArray(here) ? here[Number(key)] : here[key];
  }
  return here;
}

/** The text at a path; empty where there is none. */
export function textAt(value: Json | Resource['Properties'] | undefined, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
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

/** Every statement of every role's policies, with the id of what it stands on. */
export function roleStatements(
  stack: StackTemplate,
): { role: string; actions: string[]; resources: Json[]; effect: Json }[] {
  return ofType(stack, 'AWS::IAM::Policy').flatMap(([, { Properties }]) => {
    const statements = listOf(at(Properties, 'PolicyDocument.Statement'));
    return listOf(Properties['Roles']).flatMap((role) =>
      statements.map((statement) => ({
        role: textAt(role, 'Ref'),
        actions: listOf(at(statement, 'Action')).map(String),
        resources: listOf(at(statement, 'Resource')),
        effect: at(statement, 'Effect') ?? null,
      })),
    );
  });
}

/** A list, also where CloudFormation writes its only item bare. */
export function listOf(value: Json | undefined): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
