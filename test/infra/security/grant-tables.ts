import { at, ofType, type StageTemplates, targetOf, textAt } from '../template.ts';
import { type CodeUsers, type Granted, grantedIn, type Grantee } from './granted.ts';
import { conditionWords, plainId, resourceWords } from './words.ts';

/** What Lambda's own pollers do in the name of the function that they feed. */
const pollerActions = new Set(['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage']);

/** In which order the tables come. */
const kinds: readonly Grantee['kind'][] = ['role', 'people', 'service', 'account'];

/**
 * Everything that a stage allows anybody, in Markdown: a table for each role, each policy for people, and one for the services.
 * @throws Error for a grant without a reason, or that no code uses
 */
export function grantTables(templates: StageTemplates, code: CodeUsers): string {
  const granted = grantedIn(templates).granted.toSorted((a, b) => kinds.indexOf(a.to.kind) - kinds.indexOf(b.to.kind));
  const byTitle = Map.groupBy(granted, ({ to }) => titleOf(to, templates));
  return [...byTitle]
    .map(([title, its]) => {
      const rows = its.map((grant) => ({ ...rowOf(grant, templates), usedBy: usersOf(grant, templates, code) }));
      return [
        `### ${title}`,
        '',
        ...trustOf(its[0]?.to, templates),
        '| may | on | why | used by |',
        '|---|---|---|---|',
        ...merged(rows).map(({ actions, on, why, usedBy }) => `| ${actions} | ${on} | ${why} | ${usedBy} |`),
        '',
      ].join('\n');
    })
    .join('\n');
}

/** What each role could do if its function were taken over: a row for each function, a column for each thing worth having. */
export function reachTable(templates: StageTemplates): string {
  const rights: Readonly<Record<string, (grant: Row) => boolean>> = {
    'reads the token': ({ action }) => action === '`secretsmanager:GetSecretValue`',
    'sends commands': ({ action, on }) => action === '`sqs:SendMessage`' && on === 'queue `Commands`',
    'writes the ledger': ({ action }) => action === '`dynamodb:PutItem`',
    'reads files': ({ action }) => action.startsWith('`s3:GetObject'),
    'publishes events': ({ action }) => action === '`events:PutEvents`',
  };
  const ofFunctions = grantedIn(templates).granted.filter(
    ({ to }) => to.kind === 'role' && functionOf(to.id, templates) !== undefined,
  );
  const rows = [...Map.groupBy(ofFunctions, ({ to }) => titleOf(to, templates))].map(([name, grants]) => {
    const its = grants.map((grant) => rowOf(grant, templates));
    return `| ${[name, ...Object.values(rights).map((has) => (its.some(has) ? 'yes' : '–'))].join(' | ')} |`;
  });
  const names = Object.keys(rights);
  return [`| function | ${names.join(' | ')} |`, `|${'---|'.repeat(names.length + 1)}`, ...rows, ''].join('\n');
}

/** What a setting allows beside, or instead of, what is allowed without it: one row for all who are allowed the same. */
export function rowsOfSetting(without: StageTemplates, withSetting: StageTemplates): string[] {
  const before = new Set(rowsByGrantee(without).map((row) => JSON.stringify(row)));
  const added = rowsByGrantee(withSetting).filter((row) => !before.has(JSON.stringify(row)));
  const byGrantee = merged(added.map((row) => ({ ...row, usedBy: row.who })));
  return merged(byGrantee.map(({ actions, on, why, usedBy }) => ({ action: usedBy, on, why, usedBy: actions }))).map(
    ({ actions: who, on, why, usedBy: actions }) => `| ${who} | ${actions} | ${on} | ${why} |`,
  );
}

function rowsByGrantee(templates: StageTemplates) {
  return grantedIn(templates).granted.map((grant) => ({
    who: titleOf(grant.to, templates),
    ...rowOf(grant, templates),
  }));
}

interface Row {
  readonly action: string;
  readonly on: string;
  readonly why: string;
}

function rowOf({ to, action, resource, condition, why }: Granted, templates: StageTemplates): Row {
  const on = resourceWords(resource, templates) + conditionWords(condition, templates);
  if (why === '')
    throw new Error(`nobody said why ${titleOf(to, templates)} may ${action} on ${on}: grantActions takes a reason`);
  return { action: `\`${action}\``, on, why };
}

/** Rows that differ by their action only become one, in the order of the first. */
function merged(rows: readonly (Row & { readonly usedBy: string })[]) {
  const groups = Map.groupBy(rows, ({ on, why, usedBy }) => JSON.stringify([on, why, usedBy]));
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ on, why, usedBy }) => ({
      actions: [...new Set(group.map(({ action }) => action))].join(', '),
      on,
      why,
      usedBy,
    })),
  );
}

function titleOf(to: Grantee, templates: StageTemplates): string {
  if (to.kind === 'service') return 'Services, by the policies of resources';
  if (to.kind === 'account') return 'The account itself, by the policies of its keys';
  if (to.kind === 'people') return `People with the policy \`${plainId(to.id)}\``;
  return functionOf(to.id, templates) ?? `EventBridge Scheduler, as \`${plainId(to.id)}\``;
}

/** Who takes a role on. */
function trustOf(to: Grantee | undefined, templates: StageTemplates): string[] {
  const role = to?.kind === 'role' ? templates.workers.resources[to.id] : undefined;
  if (role === undefined) return [];
  const statement = at(role.Properties, 'AssumeRolePolicyDocument.Statement.0');
  const condition = conditionWords(at(statement, 'Condition'), templates);
  return [`Taken on by \`${textAt(statement, 'Principal.Service')}\`${condition}.`, ''];
}

/** The name of the function that a role belongs to. */
function functionOf(roleId: string, templates: StageTemplates): string | undefined {
  const found = functionsOf(templates).find(([, { Properties }]) => targetOf(Properties['Role'], templates) === roleId);
  return textAt(found?.[1].Properties, 'Description').split(' ')[0] || undefined;
}

function functionsOf({ workers }: StageTemplates) {
  return ofType(workers, 'AWS::Lambda::Function');
}

function usersOf(grant: Granted, templates: StageTemplates, code: CodeUsers): string {
  const { to, action, resource } = grant;
  if (to.kind === 'service') return `\`${to.name}\``;
  if (to.kind === 'people') return 'whoever it is attached to';
  if (to.kind === 'account') return 'its administrators';
  const functionName = functionOf(to.id, templates);
  if (functionName === undefined) return 'its schedules';
  if (action.startsWith('logs:')) return 'Lambda, for each line that is written';
  const files = code.filesUsing(functionName, action).map((path) => `\`${path}\``);
  const isFed = pollerActions.has(action) && feeds(resource, to.id, templates);
  const users = isFed ? ['its event source mapping'] : files;
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
