import { flatText } from '#infra/constructs/grant-actions.ts';
import { at, type Json, listOf, ofType, type StageTemplates, targetOf } from '../template.ts';

/** What a resource type is called in the table. */
const typeWords: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::Table': 'table',
  'AWS::Events::EventBus': 'event bus',
  'AWS::IAM::Role': 'role',
  'AWS::KMS::Key': 'key',
  'AWS::Lambda::Function': 'function',
  'AWS::Logs::LogGroup': 'log group',
  'AWS::S3::Bucket': 'bucket',
  'AWS::SNS::Topic': 'topic',
  'AWS::SQS::Queue': 'queue',
  'AWS::SecretsManager::Secret': 'secret',
};

/** A logical id without the hash at its end. */
export function plainId(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '');
}

/**
 * A resource of a statement in words: queue `Commands`, index `open` of table `Ledger`,
 * `datasets/*` in bucket `Bucket`.
 * @throws Error for one that has no words yet
 */
export function resourceWords(resource: Json, templates: StageTemplates): string {
  if (resource === '*') return 'everything';
  const [base = null, path] = listOf(at(resource, 'Fn::Join.1') ?? resource);
  const id = targetOf(base, templates);
  const type = (templates.state.resources[id] ?? templates.workers.resources[id])?.Type;
  if (type === undefined) return spelledWords(resource, templates);
  const word = typeWords[type];
  if (word === undefined) throw new Error(`the table has no words for the type ${type}`);
  return below(`${word} \`${plainId(id)}\``, flatText(path ?? '').slice(1));
}

/**
 * An ARN that is written out: of the bucket, of what is known by its name only, or of another
 * owner.
 */
function spelledWords(resource: Json, templates: StageTemplates): string {
  const text = flatText(resource).replaceAll(/<AWS::(\w+)>/g, '<$1>');
  const [, , service = '', , , ...rest] = text.split(':');
  const tail = rest.join(':');
  if (service === '' || tail === '') throw new Error(`the table has no words for the resource ${text}`);
  if (service === 'sns') return `topic \`${tail}\``;
  if (service === 'sqs') return `queue \`${tail}\``;
  const [first = '', ...others] = service === 's3' ? tail.split('/') : tail.split(/[:/]/);
  if (service !== 's3') return `${first.replaceAll('-', ' ')} \`${others.join('/')}\``;
  return below(bucketWords(first, templates), others.join('/'));
}

function bucketWords(name: string, { state }: StageTemplates): string {
  const own = ofType(state, 'AWS::S3::Bucket').find(
    ([, { Properties }]) => flatText(Properties['BucketName']).replaceAll(/<AWS::(\w+)>/g, '<$1>') === name,
  );
  return `bucket \`${own === undefined ? name : plainId(own[0])}\``;
}

function below(whole: string, path: string): string {
  if (path === '') return whole;
  return path.startsWith('index/') ? `index \`${path.slice('index/'.length)}\` of ${whole}` : `\`${path}\` in ${whole}`;
}

const operatorWords: Readonly<Record<string, string>> = {
  StringEquals: 'is',
  StringLike: 'is like',
  ArnEquals: 'is',
  ArnLike: 'is like',
};

/**
 * A condition in words, empty if there is none.
 * @throws Error for an operator that has no words yet
 */
export function conditionWords(condition: Json | undefined, templates: StageTemplates): string {
  const clauses = entriesOf(condition).flatMap(([operator, keys]) =>
    entriesOf(keys).map(([key, values]) => {
      if (key === 'dynamodb:LeadingKeys') return `its rows are \`${kindsOf(values)}\``;
      if (key === 'dynamodb:Attributes') return `no row has a column \`${listOf(values).map(flatText).join('/')}\``;
      if (operator === 'Null') return `\`${key}\` is ${values === 'true' ? 'absent' : 'present'}`;
      const verb = operatorWords[operator];
      if (verb === undefined) throw new Error(`the table has no words for the operator ${operator}`);
      const words = listOf(values).map((value) => valueWords(value, templates));
      return `\`${key}\` ${verb} ${words.join(' or ')}`;
    }),
  );
  return clauses.length === 0 ? '' : `, if ${clauses.join(' and ')}`;
}

/** Kinds of rows, from how their keys begin. */
function kindsOf(values: Json): string {
  return listOf(values)
    .map((value) => flatText(value).replace('#*', ''))
    .join('/');
}

function valueWords(value: Json, templates: StageTemplates): string {
  const text = flatText(value).replaceAll(/<AWS::(\w+)>/g, '<$1>');
  if (text === '<AccountId>') return 'this account';
  if (text === '') return 'empty';
  return text.startsWith('arn:') ? resourceWords(value, templates) : `\`${text}\``;
}

function entriesOf(value: Json | undefined): [string, Json][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
