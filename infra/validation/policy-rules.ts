import {
  at,
  type RuleFinding,
  findingOn,
  flatText,
  type TemplateJson,
  listOf,
  type Located,
  type StageRule,
  type StageModel,
} from './stage-model.ts';

/** What holds for every policy: of roles, of resources, and of who may take on a role. */
export const policyRules: readonly StageRule[] = [
  {
    id: 'service-by-source',
    sentence:
      'A service is let in for this account and one source only: otherwise a stranger’s bucket or schedule may use it as a deputy',
    find: (stage) => allowStatements(stage).flatMap(openServices),
  },
  {
    id: 'no-wildcard',
    sentence: 'A policy names what it allows: a wildcard has its reason beside its grant',
    find: (stage) => allowStatements(stage).flatMap(wildcards),
  },
];

function openServices({ located, path, kind, statement }: AllowStatement): RuleFinding[] {
  if (kind === 'role') return [];
  const missing = ['aws:SourceAccount', 'aws:SourceArn'].filter((key) => !demands(statement, key));
  if (missing.length === 0) return [];
  return listOf(at(statement, 'Principal.Service')).map((service) =>
    findingOn(located, `${path}.Condition`, `${flatText(service)} without ${missing.join(', ')}`, flatText(service)),
  );
}

/**
 * Operators that let in only what they name. Those with `IfExists`, and the negated ones, let in
 * who says nothing.
 */
const strictOperators = ['StringEquals', 'StringLike', 'ArnEquals', 'ArnLike'];

function demands(statement: TemplateJson, key: string): boolean {
  const has = (operator: string) => Object.keys(at(statement, `Condition.${operator}`) ?? {}).includes(key);
  return strictOperators.some(has);
}

function wildcards({ located, path, kind, statement }: AllowStatement): RuleFinding[] {
  const all = (property: string, values: readonly TemplateJson[]) =>
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

/** The place of a resource type's policy, and what the policy is about. */
interface PolicyProperty {
  readonly property: string;
  /**
   * `role`: what a role or a person may do; `resource`: who may do something to a resource;
   * `trust`: who may take on a role.
   */
  readonly kind: 'role' | 'resource' | 'trust';
}

const policyProperties: Readonly<Record<string, PolicyProperty>> = {
  'AWS::IAM::Policy': { property: 'PolicyDocument', kind: 'role' },
  'AWS::IAM::ManagedPolicy': { property: 'PolicyDocument', kind: 'role' },
  'AWS::IAM::Role': { property: 'AssumeRolePolicyDocument', kind: 'trust' },
  'AWS::KMS::Key': { property: 'KeyPolicy', kind: 'resource' },
  'AWS::S3::BucketPolicy': { property: 'PolicyDocument', kind: 'resource' },
  'AWS::SNS::TopicPolicy': { property: 'PolicyDocument', kind: 'resource' },
  'AWS::SQS::QueuePolicy': { property: 'PolicyDocument', kind: 'resource' },
  'AWS::SecretsManager::ResourcePolicy': { property: 'ResourcePolicy', kind: 'resource' },
};

/** A statement that allows something. */
interface AllowStatement {
  readonly located: Located;
  /** `Properties.PolicyDocument.Statement.2` */
  readonly path: string;
  readonly kind: PolicyProperty['kind'];
  readonly statement: TemplateJson;
}

/** Every statement of a stage that allows something, the inline policies of roles too. */
function allowStatements(stage: StageModel): AllowStatement[] {
  return Object.entries(policyProperties).flatMap(([type, { property, kind }]) =>
    stage.ofType(type).flatMap((located) => {
      const { Properties } = located.resource;
      const inline = listOf(Properties['Policies']).flatMap((policy, index) =>
        allowing(located, `Properties.Policies.${index}.PolicyDocument`, 'role', at(policy, 'PolicyDocument')),
      );
      return [...allowing(located, `Properties.${property}`, kind, Properties[property]), ...inline];
    }),
  );
}

function allowing(
  located: Located,
  path: string,
  kind: PolicyProperty['kind'],
  document: TemplateJson | undefined,
): AllowStatement[] {
  return listOf(at(document, 'Statement')).flatMap((statement, index) =>
    at(statement, 'Effect') === 'Allow' ? [{ located, path: `${path}.Statement.${index}`, kind, statement }] : [],
  );
}

/** The longest that SQS keeps a message. */
const fourteenDaysSeconds = 1_209_600;

/** What SQS and Lambda take if a template says nothing. */
const defaults = { visibilitySeconds: 30, timeoutSeconds: 3, retentionSeconds: 345_600, windowSeconds: 0 };

function mappings(stage: StageModel): Located[] {
  return stage.ofType('AWS::Lambda::EventSourceMapping');
}

function numberAt({ resource }: Located, path: string, otherwise: number): number {
  return Number(at(resource.Properties, path) ?? otherwise);
}

/** What feeds the functions: queues and mappings. */
export const queueRules: readonly StageRule[] = [
  {
    id: 'visibility-timeout',
    sentence:
      'The visibility timeout of a queue is at least six times the timeout of its function, and the batching window: a message that is still being worked on is not delivered again',
    find: (stage) =>
      mappings(stage).flatMap((mapping) => {
        const queue = stage.behind(mapping.resource.Properties['EventSourceArn'], mapping.template);
        const worker = stage.behind(mapping.resource.Properties['FunctionName'], mapping.template);
        if (queue === undefined || worker === undefined) {
          return [findingOn(mapping, 'Properties', 'the queue or the function is in no template of the stage')];
        }
        const visibility = numberAt(queue, 'VisibilityTimeout', defaults.visibilitySeconds);
        const timeout = numberAt(worker, 'Timeout', defaults.timeoutSeconds);
        const window = numberAt(mapping, 'MaximumBatchingWindowInSeconds', defaults.windowSeconds);
        if (visibility >= 6 * timeout + window) return [];
        const found = `${visibility} s for the ${timeout} s of ${worker.id} and a window of ${window} s`;
        return [findingOn(queue, 'Properties.VisibilityTimeout', found)];
      }),
  },
  {
    id: 'message-retention',
    sentence:
      'Every queue keeps messages for 14 days: in a dead-letter queue the clock goes on from the first queue, so a shorter one of either loses work',
    find: (stage) =>
      stage.ofType('AWS::SQS::Queue').flatMap((queue) => {
        const retention = numberAt(queue, 'MessageRetentionPeriod', defaults.retentionSeconds);
        if (retention === fourteenDaysSeconds) return [];
        return [findingOn(queue, 'Properties.MessageRetentionPeriod', `${retention} s`)];
      }),
  },
  {
    id: 'mapping-answers-by-record',
    sentence:
      'A mapping reports failures by record: without it, what a function calls failed is deleted with its batch',
    find: (stage) =>
      mappings(stage)
        .filter(
          ({ resource }) => !listOf(resource.Properties['FunctionResponseTypes']).includes('ReportBatchItemFailures'),
        )
        .map((mapping) => findingOn(mapping, 'Properties.FunctionResponseTypes', 'no ReportBatchItemFailures')),
  },
  {
    id: 'mapping-concurrency',
    sentence: 'A mapping has a maximum concurrency: a full queue does not take the concurrency of the whole account',
    find: (stage) =>
      mappings(stage)
        .filter((mapping) => !(numberAt(mapping, 'ScalingConfig.MaximumConcurrency', 0) >= 2))
        .map((mapping) => findingOn(mapping, 'Properties.ScalingConfig.MaximumConcurrency', 'none')),
  },
];
