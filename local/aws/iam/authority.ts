/**
 * Who may do what on this machine, decided by the policies of the synthesized template alone.
 *
 * Each function process gets an access key of its own. The front door asks this authority whom a
 * key belongs to and whether that role may do what was requested. The key of the stage's folder is
 * the developer at the keyboard. Like an administrator of an account, they may do everything that no
 * policy of a resource denies. A key that names a policy for people (`POLICY-Reader`) is a person
 * with that policy alone; its secret is made of the folder's.
 */
import { randomBytes } from 'node:crypto';
import { keyNamed } from '#shared/net/loopback.ts';
import type { AccessKey } from '#shared/net/request-signature.ts';
import type { ResolvedAssembly } from '../../template/cloud-assembly.ts';
import { roleIdOf } from '../../template/resource-types.ts';
import {
  type PersonCaller,
  policyHolder,
  readPeople,
  readResourcePolicies,
  readRoles,
  type Role,
} from './attached-policies.ts';
import type { RequestContext } from './conditions.ts';
import { evaluatePolicy, type PolicyRequest, type PolicyVerdict } from './policy.ts';

/** A role in use, with the name of the function (or schedule) that took it on. */
interface RoleCaller {
  readonly kind: 'role';
  readonly roleArn: string;
  readonly roleName: string;
  readonly session: string;
}

/** The sender of a request. */
export type Caller =
  | RoleCaller
  | PersonCaller
  | { readonly kind: 'developer' }
  | { readonly kind: 'service'; readonly service: string };

/** One question. */
export interface AccessRequest {
  readonly caller: Caller;
  /** For instance `sqs:SendMessage`. */
  readonly action: string;
  readonly resource: string;
  readonly context?: RequestContext;
}

/** The answer, with AWS's own words if it is no. */
type AccessDecision = { readonly allowed: true } | { readonly allowed: false; readonly message: string };

export type Authority = ReturnType<typeof createAuthority>;

/** What the access key of a person begins with; the name of the policy follows. */
const keyOfPerson = 'POLICY-';

/**
 * Reads every policy of the assembly; throws if one can't be evaluated.
 * @param stageKey - of the stage's folder: who has it is the developer at the keyboard
 */
export function createAuthority(assembly: ResolvedAssembly, stageKey: AccessKey) {
  const { accountId } = assembly;
  const roles = readRoles(assembly);
  const personCaller = readPeople(assembly);
  const resourcePolicies = readResourcePolicies(assembly);
  const keys = new Map<string, AccessKey & { readonly caller: RoleCaller }>();

  const roleOf = (roleArn: string): Role => {
    const role = roles.get(roleArn);
    if (role === undefined) throw new Error(`no role of the template has the ARN ${roleArn}`);
    return role;
  };
  const roleCaller = (roleArn: string, session: string): RoleCaller => ({
    kind: 'role',
    roleArn,
    roleName: roleOf(roleArn).name,
    session,
  });
  const personBehind = (accessKeyId: string): PersonCaller | undefined =>
    accessKeyId.startsWith(keyOfPerson) ? personCaller(accessKeyId.slice(keyOfPerson.length)) : undefined;
  const byIdentity = (caller: Caller, question: PolicyRequest): PolicyVerdict => {
    if (caller.kind === 'developer') return 'allow';
    if (caller.kind === 'role') return evaluatePolicy(roleOf(caller.roleArn).identity, question);
    return evaluatePolicy(caller.kind === 'person' ? caller.statements : [], question);
  };
  const decide = (request: AccessRequest): Reason | undefined => {
    const { caller } = request;
    const question = policyRequest(request, caller, accountId);
    const identity = byIdentity(caller, question.forIdentity);
    const onResource = resourcePolicies.get(policyHolder(request.resource)) ?? [];
    const resource = evaluatePolicy(onResource, question.forResource);
    if (identity === 'deny') return 'an explicit deny in an identity-based policy';
    if (resource === 'deny') return 'an explicit deny in a resource-based policy';
    if (identity === 'allow' || resource === 'allow') return undefined;
    return caller.kind === 'service' ? 'no resource-based policy' : 'no identity-based policy';
  };

  return {
    /** The key of a role for one function (`session`). */
    accessKeyFor(roleArn: string, session: string): AccessKey {
      // Nothing that another user of the machine could guess: the id is all that tells one caller
      // from another here.
      const key = {
        accessKeyId: `ASIA${randomBytes(8).toString('hex').toUpperCase()}`,
        secretAccessKey: randomBytes(30).toString('base64'),
      };
      keys.set(key.accessKeyId, { ...key, caller: roleCaller(roleArn, session) });
      return key;
    },
    /**
     * What the requests of an access key are signed with. Each function has a secret of its own;
     * that of another id is made of the stage's key.
     */
    secretOf(accessKeyId: string): string {
      const known = accessKeyId === stageKey.accessKeyId ? stageKey : keys.get(accessKeyId);
      return (known ?? keyNamed(accessKeyId, stageKey)).secretAccessKey;
    },
    callerOf: (accessKeyId: string): Caller =>
      keys.get(accessKeyId)?.caller ?? personBehind(accessKeyId) ?? { kind: 'developer' },
    /** A role as a caller without a key, for deliveries that the runner makes in its name. */
    roleCaller,
    /** A person with one policy of the template, by its name or ARN. */
    personCaller,
    authorize(request: AccessRequest): AccessDecision {
      const reason = decide(request);
      if (reason === undefined) return { allowed: true };
      return { allowed: false, message: refusal(request, principalArn(request.caller, accountId), reason) };
    },
    /** Whether a service may take a role on, by the role's trust policy. */
    canAssume(roleArn: string, service: string, context: RequestContext = {}): boolean {
      const principal = { kind: 'service', service } as const;
      const request = { action: 'sts:AssumeRole', resource: roleArn, context, principal };
      return evaluatePolicy(roles.get(roleArn)?.trust ?? [], request) === 'allow';
    },
  };
}

type Reason = `an explicit deny in ${string}` | `no ${string}`;

function policyRequest(
  { action, resource, context }: AccessRequest,
  caller: Caller,
  accountId: string,
): { forIdentity: PolicyRequest; forResource: PolicyRequest } {
  const principal =
    caller.kind === 'service'
      ? ({ kind: 'service', service: caller.service } as const)
      : ({ kind: 'role', arn: iamArn(caller, accountId), accountId } as const);
  const whole: RequestContext = {
    // Loopback stands in for TLS: policies that refuse plain HTTP mean the open network.
    'aws:SecureTransport': 'true',
    'aws:ResourceAccount': accountId,
    ...(caller.kind === 'service'
      ? { 'aws:PrincipalServiceName': caller.service, 'aws:PrincipalIsAWSService': 'true' }
      : {
          'aws:PrincipalArn': iamArn(caller, accountId),
          'aws:PrincipalAccount': accountId,
          'aws:PrincipalType': caller.kind === 'role' ? 'AssumedRole' : 'User',
          'aws:PrincipalIsAWSService': 'false',
          'aws:ViaAWSService': 'false',
        }),
    ...context,
  };
  const forIdentity = { action, resource, context: whole };
  return { forIdentity, forResource: { ...forIdentity, principal } };
}

/**
 * How SQS names the sender of a message: a role by its unique id and its session, a user by an id.
 * Source: SenderId, ReceiveMessage, Amazon SQS API Reference.
 */
export function senderIdOf(caller: Caller): string {
  if (caller.kind === 'service') return caller.service;
  if (caller.kind === 'role') return `${roleIdOf(caller.roleName)}:${caller.session}`;
  return `AIDA${caller.kind === 'person' ? caller.policyName.toUpperCase() : 'DEVELOPER'}`;
}

/** How AWS names a caller in messages. */
function principalArn(caller: Caller, accountId: string): string {
  if (caller.kind === 'service') return caller.service;
  if (caller.kind === 'role') return `arn:aws:sts::${accountId}:assumed-role/${caller.roleName}/${caller.session}`;
  return iamArn(caller, accountId);
}

/** The ARN that policies name: of the role itself, or of a user. */
function iamArn(caller: Exclude<Caller, { kind: 'service' }>, accountId: string): string {
  if (caller.kind === 'role') return caller.roleArn;
  return `arn:aws:iam::${accountId}:user/${caller.kind === 'person' ? `with-${caller.policyName}` : 'developer'}`;
}

function refusal({ action, resource }: AccessRequest, who: string, reason: Reason): string {
  const why = reason.startsWith('no ') ? `because ${reason} allows the ${action} action` : `with ${reason}`;
  return `User: ${who} is not authorized to perform: ${action} on resource: ${resource} ${why}`;
}
