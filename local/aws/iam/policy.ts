import { asList, asObject, isJsonObject, type Json, type JsonObject, textsOf } from '../../template/assembly.ts';
import { compileConditions, type Condition, contextReader, matchesGlob, type RequestContext } from './conditions.ts';

/** Who asks, as `Principal` of a resource policy sees it. */
type Principal =
  | { readonly kind: 'role'; readonly arn: string; readonly accountId: string }
  | { readonly kind: 'service'; readonly service: string };

/** One question to a policy. */
export interface PolicyRequest {
  readonly action: string;
  readonly resource: string;
  readonly context: RequestContext;
  /** Needed for policies on resources, which name principals. */
  readonly principal?: Principal;
}

/**
 * What a set of statements says; `none` is no answer, which is a refusal unless another policy
 * allows.
 */
export type PolicyVerdict = 'allow' | 'deny' | 'none';

/** A statement, ready to be asked. */
export interface Statement {
  readonly effect: 'Allow' | 'Deny';
  matches(request: PolicyRequest): boolean;
}

const STATEMENT_KEYS = new Set([
  'Sid',
  'Effect',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Principal',
  'NotPrincipal',
  'Condition',
]);

/** Reads a policy document. `where` names it in errors. */
export function compilePolicy(document: Json | undefined, where: string): Statement[] {
  if (!isJsonObject(document)) throw new Error(`${where}: the policy document is not an object`);
  return asList(document['Statement']).map((statement, index) =>
    compileStatement(asObject(statement), `${where}, statement ${index + 1}`),
  );
}

/** Whether policies allow a request: an explicit deny beats every allow. */
export function evaluatePolicy(statements: readonly Statement[], request: PolicyRequest): PolicyVerdict {
  const matching = statements.filter((statement) => statement.matches(request));
  if (matching.some((statement) => statement.effect === 'Deny')) return 'deny';
  return matching.length > 0 ? 'allow' : 'none';
}

function compileStatement(statement: JsonObject, where: string): Statement {
  const unknown = Object.keys(statement).find((key) => !STATEMENT_KEYS.has(key));
  if (unknown !== undefined) throw new Error(`${where}: ${unknown} is not known to the local runner`);
  const effect = statement['Effect'];
  if (effect !== 'Allow' && effect !== 'Deny') throw new Error(`${where}: Effect must be Allow or Deny`);
  const action = matcher(statement, 'Action', (pattern, text) =>
    matchesGlob(pattern.toLowerCase(), text.toLowerCase()),
  );
  const resource = matcher(statement, 'Resource', matchesGlob);
  const principal = compilePrincipal(statement, effect, where);
  const condition: Condition = compileConditions(statement['Condition'], where);
  if (action === undefined) throw new Error(`${where}: neither Action nor NotAction`);
  // Only a policy on a resource (it names a principal) may leave out what it stands on.
  if (resource === undefined && statement['Principal'] === undefined)
    throw new Error(`${where}: neither Resource nor NotResource`);
  for (const text of textsOf(statement['Resource'])) {
    if (text.includes('${')) throw new Error(`${where}: policy variables (${text}) are not evaluated locally`);
  }
  return {
    effect,
    matches: (request) =>
      action(request.action) &&
      // A trust policy or a policy on a secret may name no resource: it stands on the resource
      // itself.
      (resource === undefined || resource(request.resource)) &&
      principal(request.principal) &&
      condition(contextReader(request.context)),
  };
}

function matcher(
  statement: JsonObject,
  key: 'Action' | 'Resource',
  matches: (pattern: string, text: string) => boolean,
): ((text: string) => boolean) | undefined {
  const only = statement[key];
  const except = statement[`Not${key}`];
  if (only !== undefined) {
    const patterns = textsOf(only);
    return (text) => patterns.some((pattern) => matches(pattern, text));
  }
  if (except === undefined) return undefined;
  const patterns = textsOf(except);
  return (text) => !patterns.some((pattern) => matches(pattern, text));
}

function compilePrincipal(
  statement: JsonObject,
  effect: 'Allow' | 'Deny',
  where: string,
): (principal: Principal | undefined) => boolean {
  const { Principal: only, NotPrincipal: except } = statement;
  if (except !== undefined) throw new Error(`${where}: NotPrincipal is not known to the local runner`);
  if (only === undefined) return (principal) => principal === undefined;
  const services = textsOf(asObject(only)['Service']);
  const accounts = only === '*' ? ['*'] : textsOf(asObject(only)['AWS']);
  return (principal) => {
    if (principal === undefined) return false;
    if (accounts.includes('*')) return true;
    if (principal.kind === 'service') return services.includes(principal.service);
    if (accounts.includes(principal.arn)) return true;
    // The account as principal hands the decision to the account's own policies: it can deny for
    // them, not allow.
    const isWholeAccount = (account: string): boolean =>
      account === principal.accountId || account === `arn:aws:iam::${principal.accountId}:root`;
    return effect === 'Deny' && accounts.some(isWholeAccount);
  };
}
