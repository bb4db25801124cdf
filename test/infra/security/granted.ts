import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from '#infra/bundle/build-functions.ts';
import { flatText } from '#infra/constructs/grant-actions.ts';
import { packageFolder } from '#shared/places.ts';
import { at, type Json, listOf, type Resource, type StageTemplates, textAt } from '../template.ts';

/** Who is let do something. */
export type Grantee =
  | { readonly kind: 'role'; readonly id: string }
  | { readonly kind: 'people'; readonly id: string }
  | { readonly kind: 'account' }
  | { readonly kind: 'service'; readonly name: string };

/** One action on one resource that a template allows a person, and why. */
export interface Granted {
  readonly to: Grantee;
  readonly action: string;
  /** As the template has it, with its intrinsics. */
  readonly resource: Json;
  readonly condition: Json | undefined;
  /** Empty if none was given. */
  readonly why: string;
}

/**
 * All permissions of a stage's templates, in their order, and what reasons were given for that they
 * do not allow.
 */
export function grantedIn(templates: StageTemplates): {
  readonly granted: readonly Granted[];
  readonly idleReasons: readonly string[];
} {
  const reasons = reasonsIn(templates);
  const met = new Set<string>();
  const granted = [templates.workers, templates.state].flatMap((stack) =>
    Object.entries(stack.resources).flatMap(([id, resource]) =>
      statementsOf(id, resource).flatMap(({ to, ref, statement }) =>
        textsOf(at(statement, 'Action')).flatMap((action) =>
          listOf(at(statement, 'Resource')).map((item): Granted => {
            const key = keyOf(ref, action, item);
            const why = [...(reasons.get(key) ?? [])].join('; ');
            met.add(key);
            const onItself = resource.Type === 'AWS::KMS::Key' && item === '*'; // the key that has the policy
            return {
              to,
              action,
              resource: onItself ? { Ref: id } : item,
              condition: at(statement, 'Condition'),
              why,
            };
          }),
        ),
      ),
    ),
  );
  return { granted, idleReasons: [...reasons.keys()].filter((key) => !met.has(key)) };
}

/** Reasons by what they were given for. */
function reasonsIn({ state, workers }: StageTemplates): Map<string, Set<string>> {
  const reasons = new Map<string, Set<string>>();
  for (const note of [...state.grantReasons, ...workers.grantReasons]) {
    for (const action of listOf(at(note, 'actions'))) {
      for (const resource of listOf(at(note, 'resources'))) {
        const key = keyOf(at(note, 'to'), action, resource);
        reasons.set(key, (reasons.get(key) ?? new Set()).add(textAt(note, 'why')));
      }
    }
  }
  return reasons;
}

function keyOf(to: Json | undefined, action: Json, resource: Json): string {
  return JSON.stringify([to, action, resource]);
}

/** A statement that allows, for each one who is allowed; `ref` is how a reason names him. */
interface AllowingStatement {
  readonly to: Grantee;
  readonly ref: Json;
  readonly statement: Json;
}

function statementsOf(id: string, { Type, Properties }: Resource): AllowingStatement[] {
  const document = Properties[Type === 'AWS::KMS::Key' ? 'KeyPolicy' : 'PolicyDocument'];
  const allowing = listOf(at(document, 'Statement')).filter((statement) => at(statement, 'Effect') === 'Allow');
  if (Type === 'AWS::IAM::ManagedPolicy') {
    return allowing.map((statement) => ({ to: { kind: 'people', id }, ref: { Ref: id }, statement }));
  }
  if (Type === 'AWS::IAM::Policy') {
    return listOf(Properties['Roles']).flatMap((role) =>
      allowing.map((statement) => ({ to: { kind: 'role', id: textAt(role, 'Ref') }, ref: role, statement })),
    );
  }
  return allowing.flatMap((statement) => [
    ...textsOf(at(statement, 'Principal.Service')).map((service) => ({
      to: { kind: 'service' as const, name: service },
      ref: service,
      statement,
    })),
    ...listOf(at(statement, 'Principal.AWS'))
      .filter((principal) => flatText(principal) === 'arn:<AWS::Partition>:iam::<AWS::AccountId>:root')
      .map((principal) => ({ to: { kind: 'account' as const }, ref: principal, statement })),
  ]);
}

/**
 * What allows a person something in a way that `grantedIn` does not read, by id and type: policies
 * inside roles, managed policies of AWS, permissions of functions, principals that are no service,
 * `NotAction`. What a role is taken on by is not meant.
 */
export function unreadPolicies({ state, workers }: StageTemplates): string[] {
  return [workers, state].flatMap(({ resources }) =>
    Object.entries(resources)
      .filter(([id, resource]) => {
        const { AssumeRolePolicyDocument: _trust, ...properties } = resource.Properties;
        const read = new Set(
          statementsOf(id, resource)
            .filter(({ statement }) => at(statement, 'Action') !== undefined)
            .map(({ statement }) => statement),
        );
        return (
          resource.Type === 'AWS::Lambda::Permission' ||
          properties['ManagedPolicyArns'] !== undefined ||
          allowancesIn(properties) > read.size
        );
      })
      .map(([id, { Type }]) => `${Type} ${id}`),
  );
}

/** How many statements below a value allow something. */
function allowancesIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  const below = Object.values(value).reduce<number>((sum, child) => sum + allowancesIn(child), 0);
  return below + (at(value, 'Effect') === 'Allow' ? 1 : 0);
}

function textsOf(value: Json | undefined): string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/** Where the doors to AWS are: one file for each thing that is asked of it. */
const doorsDirectory = 'shared/aws';

/**
 * The commands of the SDK that need a permission of another name. `HeadObject` and a read of a
 * version have no permission of their own.
 */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  's3:GetObjectVersion': ['GetObject', 'HeadObject'],
  's3:ListBucket': ['GetObject', 'HeadObject', 'ListObjectsV2'],
  's3:ListBucketVersions': ['GetObject', 'HeadObject', 'ListObjectVersions'],
};

/** Tells which code of a function needs an action. */
export interface CodeUsers {
  /** Files of the function's bundle that send a command which needs the action, in order. */
  readonly filesUsing: (functionName: string, action: string) => readonly string[];
}

/** Reads the doors, and which of them are in which bundle. */
export async function readCodeUsers(metafile: Metafile): Promise<CodeUsers> {
  const entries = await readdir(join(packageFolder, doorsDirectory), { recursive: true });
  const names = entries
    .filter((name) => name.endsWith('.ts'))
    .map((name) => name.replaceAll('\\', '/'))
    .toSorted();
  const doors = await Promise.all(
    names.map(async (name) => {
      const path = `${doorsDirectory}/${name}`;
      return { path, text: await readFile(join(packageFolder, path), 'utf8') };
    }),
  );
  const bundled = (functionName: string) => {
    const output = Object.entries(metafile.outputs).find(([path]) => path.endsWith(`${functionName}/handler.mjs`));
    if (output === undefined) throw new Error(`there is no bundle of ${functionName}`);
    return new Set(
      Object.entries(output[1].inputs)
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([path]) => path),
    );
  };
  return {
    filesUsing(functionName, action) {
      const commands = otherNames[action] ?? [action.split(':')[1] ?? ''];
      const inBundle = bundled(functionName);
      return doors
        .filter(({ path, text }) => inBundle.has(path) && commands.some((name) => text.includes(`new ${name}Command(`)))
        .map(({ path }) => path);
    },
  };
}
