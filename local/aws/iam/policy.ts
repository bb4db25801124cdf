import { asList, asObject, isJsonObject, type Json, type JsonObject, textsOf } from '../../template/json.ts';
import { compileConditions, matchesGlob, type RequestContext } from './conditions.ts';

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

const statementKeys = new Set(['Sid', 'Effect', 'Action', 'Resource', 'Principal', 'Condition']);

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
  const { Effect: effect, Action, Resource, Principal: principal, Condition } = statement;
  const unknown = Object.keys(statement).find((key) => !statementKeys.has(key));
  if (unknown !== undefined) throw new Error(`${where}: ${unknown} is not known to the local runner`);
  if (effect !== 'Allow' && effect !== 'Deny') throw new Error(`${where}: Effect must be Allow or Deny`);
  if (Action === undefined) throw new Error(`${where}: no Action`);
  // Only a policy on a resource (it names a principal) may leave out what it stands on.
  if (Resource === undefined && principal === undefined) throw new Error(`${where}: no Resource`);
  const actions = textsOf(Action).map((action) => action.toLowerCase());
  const resources = Resource === undefined ? ['*'] : textsOf(Resource);
  const variable = resources.find((text) => text.includes('${'));
  if (variable !== undefined) throw new Error(`${where}: policy variables (${variable}) are not evaluated locally`);
  const isPrincipal = compilePrincipal(principal, effect);
  const isMet = compileConditions(Condition, where);
  return {
    effect,
    matches: (request) =>
      actions.some((pattern) => matchesGlob(pattern, request.action.toLowerCase())) &&
      resources.some((pattern) => matchesGlob(pattern, request.resource)) &&
      isPrincipal(request.principal) &&
      isMet(request.context),
  };
}

function compilePrincipal(
  only: Json | undefined,
  effect: 'Allow' | 'Deny',
): (principal: Principal | undefined) => boolean {
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
