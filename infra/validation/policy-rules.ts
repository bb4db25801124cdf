import { allowStatements, type AllowStatement } from './policy-documents.ts';
import { at, flatText, type Json, listOf } from './read-template.ts';
import { type Finding, findingOn, type Rule } from './stage-model.ts';

/** What holds for every policy: of roles, of resources, and of who may take on a role. */
export const policyRules: readonly Rule[] = [
  {
    id: 'service-by-source',
    sentence:
      'A service is let in for this account and one source only: otherwise anybody’s bucket or schedule may use it as a deputy',
    find: (stage) => allowStatements(stage).flatMap(openServices),
  },
  {
    id: 'no-wildcard',
    sentence: 'A policy names what it allows: a wildcard has its reason where it is granted',
    find: (stage) => allowStatements(stage).flatMap(wildcards),
  },
];

function openServices({ located, path, kind, statement }: AllowStatement): Finding[] {
  if (kind === 'role') return [];
  const missing = ['aws:SourceAccount', 'aws:SourceArn'].filter((key) => !demands(statement, key));
  if (missing.length === 0) return [];
  return listOf(at(statement, 'Principal.Service')).map((service) =>
    findingOn(located, `${path}.Condition`, `${flatText(service)} without ${missing.join(', ')}`, flatText(service)),
  );
}

/** Operators that let in only what they name. Those with `IfExists`, and the negated ones, let in who says nothing. */
const strictOperators = ['StringEquals', 'StringLike', 'ArnEquals', 'ArnLike'];

function demands(statement: Json, key: string): boolean {
  const has = (operator: string) => Object.keys(at(statement, `Condition.${operator}`) ?? {}).includes(key);
  return strictOperators.some(has);
}

function wildcards({ located, path, kind, statement }: AllowStatement): Finding[] {
  const all = (property: string, values: readonly Json[]) =>
    values
      .map((value) => `${property}::${flatText(value)}`)
      .filter((text) => text.includes('*'))
      .map((text) => findingOn(located, `${path}.${property}`, text, text));
  const negated = ['NotAction', 'NotResource', 'NotPrincipal']
    .filter((property) => at(statement, property) !== undefined)
    .map((property) => findingOn(located, `${path}.${property}`, `all but what ${property} names`, property));
  // In the policy of a resource, `*` is the resource itself.
  const resources = kind === 'role' ? listOf(at(statement, 'Resource')) : [];
  const principal = at(statement, 'Principal');
  const principals = principal === '*' ? [principal] : listOf(at(principal, 'AWS'));
  return [
    ...negated,
    ...all('Action', listOf(at(statement, 'Action'))),
    ...all('Resource', resources),
    ...all('Principal', principals),
  ];
}
