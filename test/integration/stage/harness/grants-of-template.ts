import { type AccessRecord, type Authority, createAuthority } from '#local/iam/authority.ts';
import type { ResolvedAssembly, ResolvedResource } from '#local/template/assembly.ts';
import { asList, asObject, type Json, type JsonObject, textsOf } from '#local/template/json.ts';
import { developerKey } from '../../../builders/developer-key.ts';

/** One action on one resource that one policy of the template allows. */
export interface StackGrant {
  /** Logical id of the policy that holds it. */
  readonly policy: string;
  readonly action: string;
  /** As the policy says it: an ARN, or a pattern of some. */
  readonly resource: string;
}

/** Everything that the policies of the template allow: those of roles, of people, and of resources. */
export function grantsOf(assembly: ResolvedAssembly): StackGrant[] {
  return assembly.resources.flatMap((policy) =>
    statementsOf(policy)
      .filter((statement) => statement['Effect'] === 'Allow')
      .flatMap((statement) =>
        textsOf(statement['Action']).flatMap((action) =>
          textsOf(statement['Resource']).map((resource) => ({ policy: policy.logicalId, action, resource })),
        ),
      ),
  );
}

/** The template with that one action on that one resource taken out of its policy. */
export function withoutGrant(assembly: ResolvedAssembly, grant: StackGrant): ResolvedAssembly {
  return withStatements(assembly, grant.policy, (statements) =>
    statements.flatMap((statement) => {
      const actions = textsOf(statement['Action']);
      const resources = textsOf(statement['Resource']);
      const isIts =
        statement['Effect'] === 'Allow' && actions.includes(grant.action) && resources.includes(grant.resource);
      if (!isIts) return [statement];
      // What is left: the other actions on all of its resources, and the action on the others.
      const rest: JsonObject[] = [
        { ...statement, Action: actions.filter((action) => action !== grant.action) },
        { ...statement, Action: grant.action, Resource: resources.filter((resource) => resource !== grant.resource) },
      ];
      return rest.filter(({ Action, Resource }) => textsOf(Action).length > 0 && textsOf(Resource).length > 0);
    }),
  );
}

/** The template with one more action on one resource in a policy. */
export function withGrant(assembly: ResolvedAssembly, { policy, action, resource }: StackGrant): ResolvedAssembly {
  return withStatements(assembly, policy, (statements) => [
    ...statements,
    { Effect: 'Allow', Action: action, Resource: resource },
  ]);
}

/**
 * What was used and would have been refused without a grant, in AWS's words: the recorded requests are put to the policies once more. None
 * means that nobody needs it.
 */
export function refusedWithout(
  assembly: ResolvedAssembly,
  grant: StackGrant,
  used: readonly AccessRecord[],
): readonly string[] {
  const reduced = createAuthority(withoutGrant(assembly, grant), developerKey);
  return used
    .filter(({ action }) => action === grant.action)
    .flatMap((record) => {
      const decision = reduced.authorize({ ...record, caller: callerOf(record, reduced) });
      return decision.allowed ? [] : [decision.message];
    });
}

function callerOf({ principal }: AccessRecord, authority: Authority) {
  if (principal.includes(':policy/')) return authority.personCaller(principal);
  if (principal.startsWith('arn:')) return authority.roleCaller(principal, 'recorded');
  return { kind: 'service', service: principal } as const;
}

function statementsOf({ properties }: ResolvedResource): JsonObject[] {
  return asList(asObject(properties['PolicyDocument'])['Statement']).map(asObject);
}

function withStatements(
  assembly: ResolvedAssembly,
  policy: string,
  change: (statements: JsonObject[]) => JsonObject[],
): ResolvedAssembly {
  const changed = (resource: ResolvedResource): ResolvedResource => {
    if (resource.logicalId !== policy) return resource;
    const document: Json = {
      ...asObject(resource.properties['PolicyDocument']),
      Statement: change(statementsOf(resource)),
    };
    return { ...resource, properties: { ...resource.properties, PolicyDocument: document } };
  };
  return { ...assembly, resources: assembly.resources.map(changed) };
}
