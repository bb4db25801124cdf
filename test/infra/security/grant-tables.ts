import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { at, ofType, type StageTemplates, targetOf, textAt } from '../template.ts';
import { type CodeUsers, type Granted, grantedIn, type Grantee } from './granted.ts';
import { conditionWords, plainId, resourceWords } from './words.ts';

/** What Lambda's own pollers do in the name of the function that they feed. */
const pollerActions = new Set(['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage']);

/** The tables, in their order. */
const tables: readonly { readonly title: string; readonly kinds: readonly Grantee['kind'][] }[] = [
  { title: 'Functions and schedules', kinds: ['role'] },
  { title: 'People', kinds: ['people'] },
  { title: 'Services and the account', kinds: ['service', 'account'] },
];

/**
 * Everything that a stage allows, in Markdown: a table for the roles, one for the policies for
 * people, and one for the services.
 * @throws Error for a grant without a reason, or that no code uses
 */
export function grantTables(templates: StageTemplates, code: CodeUsers): string {
  const { granted } = grantedIn(templates);
  return tables
    .map(({ title, kinds }) => {
      const rows = granted
        .filter(({ to }) => kinds.includes(to.kind))
        .map((grant) => ({ ...rowOf(grant, templates), usedBy: usersOf(grant, templates, code) }));
      const withUsers = kinds.includes('role');
      const head = withUsers ? 'who | may | on | why | used by' : 'who | may | on | why';
      return [
        `### ${title}`,
        '',
        ...(withUsers ? trustLines(templates) : []),
        `| ${head} |`,
        `|${'---|'.repeat(head.split('|').length)}`,
        ...mergedRows(rows).map((row) => lineOf(row, withUsers)),
        '',
      ].join('\n');
    })
    .join('\n');
}

/** The bucket of the stage, and the one that `deployment.uploadsBucket` names in its place. */
const buckets = { own: 'bucket `Bucket`', yours: 'bucket `your-bucket`' };

/**
 * What a setting allows beside, or instead of, what is allowed without it: one row for all grantees
 * that are allowed the same.
 */
export function settingTable(without: StageTemplates, withSetting: StageTemplates): string {
  const before = new Set(rowsOf(without).map((row) => JSON.stringify(row)));
  const added = rowsOf(withSetting).filter((row) => !before.has(JSON.stringify(row)));
  const other = added.filter((row) => !before.has(JSON.stringify(row).replaceAll(buckets.yours, buckets.own)));
  const moved = `Each permission above on ${buckets.own} is one on ${buckets.yours} instead.`;
  const rows = mergedRows(other).map((row) => lineOf(row, false));
  return [
    ...(other.length < added.length ? [moved, ''] : []),
    '| who | may | on | why |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function rowsOf(templates: StageTemplates): readonly Row[] {
  return grantedIn(templates).granted.map((grant) => ({ ...rowOf(grant, templates), usedBy: '' }));
}

interface Row {
  readonly who: string;
  readonly action: string;
  readonly on: string;
  readonly why: string;
  readonly usedBy: string;
}

function rowOf(grant: Granted, templates: StageTemplates): Omit<Row, 'usedBy'> {
  const { to, action, resource, condition, why } = grant;
  const who = titleOf(to, templates);
  const exact = resourceWords(resource, templates) + conditionWords(condition, templates);
  if (why === '')
    throw new Error(`there is no reason why ${who} may ${action} on ${exact}: grantActions takes a reason`);
  return { who, action: `\`${action}\``, on: ownWords(grant, templates) ?? exact, why };
}

/** The words for a resource that each function has one of: they are the same for all functions. */
function ownWords({ to, action, resource, condition }: Granted, templates: StageTemplates): string | undefined {
  if (to.kind !== 'role' || condition !== undefined) return undefined;
  if (action.startsWith('logs:')) return `its log group \`<Function>Logs\``;
  if (action === 'sqs:SendMessage' || !feeds(resource, to.id, templates)) return undefined;
  return 'the queue that feeds it';
}

/**
 * Rows that differ in one cell only become one, in the order of the first: first their actions,
 * then who, then what on.
 */
function mergedRows(rows: readonly Row[]): readonly Row[] {
  return (['action', 'who', 'on'] as const).reduce<readonly Row[]>((its, column) => mergedBy(its, column), rows);
}

function mergedBy(rows: readonly Row[], column: 'action' | 'who' | 'on'): readonly Row[] {
  const groups = Map.groupBy(rows, (row) => JSON.stringify({ ...row, [column]: '' }));
  return [...groups.values()].flatMap((group) => {
    const joined = [...new Set(group.map((row) => row[column]))].join(column === 'on' ? '; ' : ', ');
    return group.slice(0, 1).map((row) => ({ ...row, [column]: joined }));
  });
}

function lineOf({ who, action, on, why, usedBy }: Row, withUsers: boolean): string {
  const names = who.split(', ');
  const others = names.filter((name) => !functionNames.some((known) => known === name));
  const isEvery = names.length - others.length === functionNames.length;
  const whom = isEvery ? ['every function', ...others].join(', ') : who;
  return `| ${[whom, action, on, why, ...(withUsers ? [usedBy] : [])].join(' | ')} |`;
}

function titleOf(to: Grantee, templates: StageTemplates): string {
  if (to.kind === 'service') return `\`${to.name}\``;
  if (to.kind === 'account') return 'the account';
  if (to.kind === 'people') return `\`${plainId(to.id)}\``;
  return functionOf(to.id, templates) ?? `\`${plainId(to.id)}\``;
}

/** Which service takes each role on, one line for each service. */
function trustLines(templates: StageTemplates): string[] {
  const roles = [templates.workers, templates.state].flatMap((template) => ofType(template, 'AWS::IAM::Role'));
  const trusts = roles.map(([id, { Properties }]) => {
    const statement = at(Properties, 'AssumeRolePolicyDocument.Statement.0');
    const condition = conditionWords(at(statement, 'Condition'), templates);
    const isFunction = functionOf(id, templates) !== undefined;
    return {
      who: isFunction ? 'the role of a function' : `\`${plainId(id)}\``,
      by: `\`${textAt(statement, 'Principal.Service')}\`${condition}`,
    };
  });
  const lines = new Set(trusts.map(({ who, by }) => `- ${by} takes on ${who}.`));
  return [...lines, ''];
}

/** The name of the function that a role belongs to. */
function functionOf(roleId: string, templates: StageTemplates): string | undefined {
  const found = functionsOf(templates).find(([, { Properties }]) => targetOf(Properties['Role'], templates) === roleId);
  return textAt(found?.[1].Properties, 'Description').split(' ')[0] || undefined;
}

function functionsOf({ workers }: StageTemplates) {
  return ofType(workers, 'AWS::Lambda::Function');
}

function usersOf({ to, action, resource }: Granted, templates: StageTemplates, code: CodeUsers): string {
  const functionName = to.kind === 'role' ? functionOf(to.id, templates) : undefined;
  if (to.kind !== 'role') return '';
  if (functionName === undefined) return /^(?:Schedules|LinkTester)/.test(to.id) ? 'schedules' : 'rules';
  if (action.startsWith('logs:')) return 'Lambda';
  const files = code.filesUsing(functionName, action).map((path) => `\`${path}\``);
  const isFed = pollerActions.has(action) && feeds(resource, to.id, templates);
  const users = isFed ? ['event source mapping'] : files;
  if (users.length === 0) throw new Error(`no code of ${functionName} uses ${action}`);
  return users.join(', ');
}

/** Whether a queue feeds the function of a role. */
function feeds(queue: Granted['resource'], roleId: string, templates: StageTemplates): boolean {
  return ofType(templates.workers, 'AWS::Lambda::EventSourceMapping').some(
    ([, { Properties }]) =>
      targetOf(Properties['EventSourceArn'], templates) === targetOf(queue, templates) &&
      functionsOf(templates).some(
        ([id, { Properties: its }]) =>
          id === targetOf(Properties['FunctionName'], templates) && targetOf(its['Role'], templates) === roleId,
      ),
  );
}
