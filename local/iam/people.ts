/**
 * People of the local run: one for each managed policy of the template, who has that policy and no other. The ids of their access keys are no
 * secret: their requests are signed with the key of the stage's folder, as the developer's are.
 */
import { arnOf, resourcesOfType } from '../template/assembly.ts';
import type { ResolvedAssembly } from '../template/assembly.ts';
import { AwsError } from '../aws/wire/aws-error.ts';
import { compilePolicy } from './policy.ts';
import type { Statement } from './policy.ts';

/** A person with one managed policy of the template. */
export interface PersonCaller {
  readonly kind: 'person';
  /** The id of the policy's construct: `Reader`. */
  readonly policyName: string;
  readonly policyArn: string;
}

/** The people that can be asked for. */
export interface People {
  /** The person behind an access key; `undefined` for every other key. Throws InvalidClientTokenId for a policy that the template lacks. */
  readonly behind: (accessKeyId: string | undefined) => PersonCaller | undefined;
  /** By the name of the policy or by its ARN. */
  readonly find: (policy: string) => PersonCaller;
  readonly statementsOf: (person: PersonCaller) => readonly Statement[];
}

/** What the access key of a person begins with; the name of the policy follows. */
const keyPrefix = 'POLICY-';

/** CDK ends a logical id with a hash of its path. */
const hash = /[0-9A-F]{8}$/;

/** Reads each managed policy of the assembly. */
export function readPeople(assembly: ResolvedAssembly): People {
  const policies = resourcesOfType(assembly, 'AWS::IAM::ManagedPolicy').map((policy) => ({
    person: { kind: 'person', policyName: policy.logicalId.replace(hash, ''), policyArn: arnOf(policy) } as const,
    statements: compilePolicy(policy.properties['PolicyDocument'], `${policy.stackName}/${policy.logicalId}`),
  }));
  const find = (policy: string): PersonCaller => {
    const wanted = policy.toLowerCase();
    const found = policies.find(
      ({ person }) => person.policyName.toLowerCase() === wanted || person.policyArn === policy,
    );
    if (found !== undefined) return found.person;
    const names = policies.map(({ person }) => person.policyName).join(', ') || 'none';
    throw new AwsError('InvalidClientTokenId', `the stage has no policy for people "${policy}": it has ${names}`, {
      status: 403,
    });
  };
  return {
    behind: (accessKeyId = '') =>
      accessKeyId.startsWith(keyPrefix) ? find(accessKeyId.slice(keyPrefix.length)) : undefined,
    find,
    statementsOf: ({ policyArn }) => policies.find(({ person }) => person.policyArn === policyArn)?.statements ?? [],
  };
}
