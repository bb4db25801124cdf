import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { packageFolder } from '#shared/places.ts';
import {
  asObject,
  asText,
  type JsonObject,
  parseJsonObject,
  type ResolvedAssembly,
  resourcesOfType,
  textsOf,
} from '#local/template/assembly.ts';
import { readAssembly } from '#local/template/read-assembly.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import type { WorkerKind } from './chaos-options.ts';

/** The functions that a baseline replaces. */
const swapped = ['register-datasets', 'update-campaign-runs'] as const satisfies readonly FunctionName[];

/**
 * AWS recommends at least five receives. Autopilot's thousand would deliver a baseline's hopeless
 * messages for days.
 */
const maxReceiveCount = 5;

const tableId = 'IdempotencyTable';

/**
 * Puts a baseline in the place of Autopilot's workers: other bundles, the same template. Beside
 * them only what a baseline needs is changed: a table for the records of Powertools, and
 * dead-letter queues as people without our ledger use them (five receives, never emptied).
 */
export async function swapWorkers(assemblyDir: string, stage: string, worker: WorkerKind): Promise<void> {
  if (worker === 'autopilot') return;
  const bundles = join(assemblyDir, 'baseline');
  await bundle(worker, bundles);
  const assembly = readAssembly(assemblyDir, { endpoint: 'http://127.0.0.1:1' });
  for (const name of swapped) {
    const { properties } = functionResource(assembly, name);
    const asset = assembly.assetPath(asText(asObject(properties['Code'])['S3Key']) ?? '');
    copyFileSync(join(bundles, `${name}.mjs`), join(asset, 'handler.mjs'));
  }
  const names = stackNames(stage);
  editTemplate(join(assemblyDir, `${names.state}.template.json`), withFewReceives);
  editTemplate(join(assemblyDir, `${names.workers}.template.json`), (resources) => {
    const ours = swapped.map((name) => functionResource(assembly, name).logicalId);
    const parking = functionResource(assembly, 'park-dead-letters').logicalId;
    return withTable(withoutMappingsOf(parking, resources), ours);
  });
}

/** The function of that name, told by the description that the template gives it. */
export function functionResource(assembly: ResolvedAssembly, name: FunctionName) {
  const found = resourcesOfType(assembly, 'AWS::Lambda::Function').find(({ properties }) =>
    asText(properties['Description'])?.startsWith(`${name} of `),
  );
  if (found === undefined) throw new Error(`the template has no function ${name}`);
  return found;
}

async function bundle(worker: WorkerKind, outdir: string): Promise<void> {
  await build({
    absWorkingDir: packageFolder,
    entryPoints: swapped.map((name) => ({ in: `test/chaos/workers/${worker}/${name}.ts`, out: name })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
}

function editTemplate(path: string, edit: (resources: JsonObject) => JsonObject): void {
  const template = parseJsonObject(readFileSync(path, 'utf8'), path);
  writeFileSync(path, JSON.stringify({ ...template, Resources: edit(asObject(template['Resources'])) }));
}

/** Changes the properties of the resources of one type. */
function change(
  resources: JsonObject,
  type: string,
  edit: (properties: JsonObject, id: string) => JsonObject,
): JsonObject {
  return Object.fromEntries(
    Object.entries(resources).map(([id, value]) => {
      const resource = asObject(value);
      if (resource['Type'] !== type) return [id, value];
      return [id, { ...resource, Properties: edit(asObject(resource['Properties']), id) }];
    }),
  );
}

function withFewReceives(resources: JsonObject): JsonObject {
  return change(resources, 'AWS::SQS::Queue', (properties) => {
    const redrive = properties['RedrivePolicy'];
    if (redrive === undefined) return properties;
    return { ...properties, RedrivePolicy: { ...asObject(redrive), maxReceiveCount } };
  });
}

function withoutMappingsOf(functionId: string, resources: JsonObject): JsonObject {
  return change(resources, 'AWS::Lambda::EventSourceMapping', (properties) =>
    asObject(properties['FunctionName'])['Ref'] === functionId ? { ...properties, Enabled: false } : properties,
  );
}

/** The table as the documentation of Powertools declares it, and the actions that it asks for. */
function withTable(resources: JsonObject, functionIds: readonly string[]): JsonObject {
  const table: JsonObject = {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'expiration', Enabled: true },
    },
  };
  const withVariable = change(resources, 'AWS::Lambda::Function', (properties, id) => {
    if (!functionIds.includes(id)) return properties;
    const variables = {
      ...asObject(asObject(properties['Environment'])['Variables']),
      IDEMPOTENCY_TABLE: { Ref: tableId },
    };
    return { ...properties, Environment: { Variables: variables } };
  });
  return { ...withVariable, [tableId]: table, ...Object.fromEntries(functionIds.map((id) => grantOf(id, resources))) };
}

function grantOf(functionId: string, resources: JsonObject): readonly [string, JsonObject] {
  const policy: JsonObject = {
    Type: 'AWS::IAM::Policy',
    Properties: {
      PolicyName: `Idempotency${functionId}`,
      Roles: [{ Ref: roleIdOf(resources, functionId) }],
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
            Resource: { 'Fn::GetAtt': [tableId, 'Arn'] },
          },
        ],
      },
    },
  };
  return [`Idempotency${functionId}`, policy];
}

function roleIdOf(resources: JsonObject, functionId: string): string {
  const { Role: role } = asObject(asObject(resources[functionId])['Properties']);
  const [roleId] = textsOf(asObject(role)['Fn::GetAtt']);
  if (roleId === undefined) throw new Error(`the function ${functionId} names no role of its stack`);
  return roleId;
}
