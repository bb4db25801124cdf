/** A service that asks to do something. */
export interface Guest {
  /** For instance `s3.amazonaws.com`. */
  readonly service: string;
  /** For instance `sqs:SendMessage`. */
  readonly action: string;
  /** The resource in whose name the service asks. */
  readonly sourceArn: string;
}

interface PolicyStatement {
  readonly Effect?: unknown;
  readonly Principal?: unknown;
  readonly Action?: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Says whether a statement of a resource's policy lets a service in. It judges what a stage writes: the service, the action and the source. It
 * is asked only where nothing came through, to name the cause. Pure.
 * @param policy - JSON; absent if the resource has none
 */
export function policyLetsIn(policy: string | undefined, guest: Guest): boolean {
  return statementsOf(policy).some(
    (statement) =>
      statement.Effect === 'Allow' &&
      isFor(statement.Principal, guest.service) &&
      textsOf(statement.Action).some((action) => isLike(guest.action.toLowerCase(), action.toLowerCase())) &&
      sourcesOf(statement).every((sources) => sources.some((source) => isLike(guest.sourceArn, source))),
  );
}

function statementsOf(policy: string | undefined): readonly PolicyStatement[] {
  if (policy === undefined || policy === '') return [];
  const parsed: unknown = JSON.parse(policy);
  const statement: unknown = isRecord(parsed) ? parsed['Statement'] : undefined;
  return [statement].flat().filter(isRecord);
}

function isFor(principal: unknown, service: string): boolean {
  if (principal === '*') return true;
  return (
    isRecord(principal) &&
    [...textsOf(principal['Service']), ...textsOf(principal['AWS'])].some((one) => one === service || one === '*')
  );
}

/** For each condition on the source, the sources that it takes; condition keys have no upper and lower case. */
function sourcesOf({ Condition = {} }: PolicyStatement): readonly (readonly string[])[] {
  return Object.values(Condition).flatMap((keys) =>
    Object.entries(keys)
      .filter(([key]) => key.toLowerCase() === 'aws:sourcearn')
      .map(([, value]) => textsOf(value)),
  );
}

function isLike(text: string, pattern: string): boolean {
  const expression = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('?', '.'));
  return new RegExp(`^${expression.join('.*')}$`, 's').test(text);
}

function textsOf(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
