import { type ResolvedAssembly, resourcesOfType } from '../../../local/template/assembly.ts';
import { asList, asObject, textsOf } from '../../../local/template/json.ts';

/** One action that one role of the template is allowed. */
export interface StackGrant {
  /** Logical id of the policy that holds it. */
  readonly policy: string;
  /** Physical name of the role. */
  readonly role: string;
  readonly action: string;
}

/** Every action of every role of the template. */
export function grantsOf(assembly: ResolvedAssembly): StackGrant[] {
  return resourcesOfType(assembly, 'AWS::IAM::Policy').flatMap(({ logicalId, properties }) => {
    const statements = asList(asObject(properties['PolicyDocument'])['Statement']).map(asObject);
    const actions = statements.flatMap((statement) => textsOf(statement['Action']));
    return textsOf(properties['Roles']).flatMap((role) =>
      actions.map((action) => ({ policy: logicalId, role, action })),
    );
  });
}

/** The template with that one action taken out of its policy. */
export function withoutGrant(assembly: ResolvedAssembly, grant: StackGrant): ResolvedAssembly {
  return {
    ...assembly,
    resources: assembly.resources.map((resource) => {
      if (resource.logicalId !== grant.policy) return resource;
      const document = asObject(resource.properties['PolicyDocument']);
      const Statement = asList(document['Statement']).flatMap((value) => {
        const statement = asObject(value);
        const Action = textsOf(statement['Action']).filter((action) => action !== grant.action);
        return Action.length === 0 ? [] : [{ ...statement, Action }];
      });
      return { ...resource, properties: { ...resource.properties, PolicyDocument: { ...document, Statement } } };
    }),
  };
}
