import { type Granted, grantedIn } from '../security/granted.ts';
import { plainId } from '../security/words.ts';
import { at, listOf, ofType, type Resource, type StageTemplates, targetOf, textAt } from '../template.ts';

/**
 * The stage as a flowchart in Mermaid: what its templates connect, and nothing else. Left out is
 * what every function has (role, log group) and what keeps data safe.
 */
export function pictureOf(stage: StageTemplates): string {
  const folders = announcedFolders(stage).map(({ prefix }) => `${folderNode(prefix)}[("${prefix}")]`);
  return [
    '```mermaid',
    'flowchart LR',
    `  ${nodes.scheduler}(["EventBridge Scheduler"])`,
    ...group('bucket', folders),
    ...group('queues', [...queuesOf(stage), `${nodes.deadLetters}[["dead letters"]]`]),
    ...group(nodes.functions, functionsOf(stage)),
    `  ${nodes.gateway}{{"gateway"}}`,
    `  ${nodes.ledger}[("ledger")]`,
    `  ${nodes.bus}(["outcome bus"])`,
    `  ${nodes.alarms}(["alarms"])`,
    `  ${nodes.people}(["topic: people"])`,
    '',
    ...linesOf(edgesOf(stage)),
    '```',
    '',
  ].join('\n');
}

function group(title: string, members: readonly string[]): string[] {
  return [`  subgraph ${title}`, ...members.map((member) => `    ${member}`), '  end'];
}

function queuesOf({ state }: StageTemplates): string[] {
  return ofType(state, 'AWS::SQS::Queue')
    .filter(([id]) => nodeOf(id) !== nodes.deadLetters)
    .map(([id]) => `${nodeOf(id)}[["${plainId(id).toLowerCase()}"]]`);
}

function functionsOf({ workers }: StageTemplates): string[] {
  return ofType(workers, 'AWS::Lambda::Function').map(([id, { Properties }]) => {
    const [name = id] = textAt(Properties, 'Description').split(' of ');
    return `${nodeOf(id)}["${name}"]`;
  });
}

/** One line for all arrows that say the same and have an end in common. */
function linesOf(edges: readonly Edge[]): string[] {
  const bySource = Map.groupBy(edges, ({ from, label, kind }) => JSON.stringify([from, label, kind]));
  const fans = [...bySource.values()].flatMap((same) => {
    const to = joined(same.map((edge) => edge.to));
    return same.slice(0, 1).map((edge) => ({ ...edge, to }));
  });
  const byTargets = Map.groupBy(fans, ({ to, label, kind }) => JSON.stringify([to, label, kind]));
  return [...byTargets.values()].flatMap((same) => {
    const from = joined(same.map((edge) => edge.from));
    return same.slice(0, 1).map((edge) => `  ${from} ${arrowOf(edge)} ${edge.to}`);
  });
}

/** A label stands in quotes, where Mermaid takes everything but quotes for text. */
function arrowOf({ kind, label }: Edge): string {
  const arrow = kind === 'trouble' ? '-.->' : '-->';
  return label === '' ? arrow : `${arrow}|"${label.replaceAll(/[`"]/g, '')}"|`;
}

function joined(names: readonly string[]): string {
  return [...new Set(names)].join(' & ');
}

/** What is drawn beside folders, queues and functions: its id in the picture. */
const nodes = {
  scheduler: 'scheduler',
  /** All queues of dead letters: drawn apart they would hide the flow. */
  deadLetters: 'deadLetters',
  /** Every function, if all of them do something. */
  functions: 'functions',
  gateway: 'gateway',
  ledger: 'ledger',
  bus: 'bus',
  alarms: 'alarms',
  people: 'people',
} as const;

/**
 * The node of a queue or a function: its logical id without the hash, and without the word that
 * only CDK needs.
 */
function nodeOf(logicalId: string): string {
  const id = plainId(logicalId);
  return id.endsWith('DeadLetters') ? nodes.deadLetters : id.replace(/Function$/, '');
}

/** The node of what a reference of the templates leads to. */
function nodeBehind(reference: Parameters<typeof targetOf>[0], stage: StageTemplates): string {
  return nodeOf(targetOf(reference, stage));
}

/** The node of a prefix of the bucket. */
function folderNode(prefix: string): string {
  return `folder_${prefix.replaceAll(/\W/g, '')}`;
}

/** The prefixes that the bucket announces, and to which queue. */
function announcedFolders({ state }: StageTemplates): { readonly prefix: string; readonly queue: string }[] {
  return ofType(state, 'AWS::S3::Bucket').flatMap(([, { Properties }]) =>
    listOf(at(Properties, 'NotificationConfiguration.QueueConfigurations')).map((announcement) => ({
      prefix: textAt(announcement, 'Filter.S3Key.Rules.0.Value'),
      queue: textAt(announcement, 'Queue.Fn::GetAtt.0'),
    })),
  );
}

/** An arrow from one node to another. */
interface Edge {
  readonly from: string;
  readonly to: string;
  /** `trouble`, dotted: the way of what was given up. */
  readonly kind: 'flow' | 'trouble';
  /** Empty if the arrow speaks for itself. */
  readonly label: string;
}

/**
 * Every arrow of a stage: who calls whom by schedules, notifications, mappings and rules, and who
 * may write where by the roles.
 */
function edgesOf(stage: StageTemplates): Edge[] {
  return [
    ...schedules(stage),
    ...announcedFolders(stage).map(({ prefix, queue }) => flow(folderNode(prefix), nodeOf(queue))),
    ...mappings(stage),
    ...grants(stage),
    ...givenUp(stage),
    ...notices(stage),
    flow(nodes.alarms, nodes.people),
  ];
}

function flow(from: string, to: string, label = ''): Edge {
  return { from, to, label, kind: 'flow' };
}

function schedules(stage: StageTemplates): Edge[] {
  const all = ofType(stage.workers, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => Properties);
  const byTarget = Map.groupBy(all, (schedule) => targetOf(at(schedule, 'Target.Arn'), stage));
  return [...byTarget].map(([target, those]) => {
    const words = new Set(those.map((schedule) => wordsOf(schedule)));
    return flow(nodes.scheduler, nodeOf(target), [...words].toSorted().join(', '));
  });
}

/** What a command does, or how often a function is called. */
function wordsOf(schedule: Resource['Properties']): string {
  const [, action] = /"action":"(\w+)"/.exec(textAt(schedule, 'Target.Input')) ?? [];
  return action ?? textAt(schedule, 'ScheduleExpression').replace(/^rate\((?:1 )?(.+)\)$/, 'every $1');
}

function mappings(stage: StageTemplates): Edge[] {
  return ofType(stage.workers, 'AWS::Lambda::EventSourceMapping').map(([, { Properties }]) =>
    flow(nodeBehind(Properties['EventSourceArn'], stage), nodeBehind(Properties['FunctionName'], stage)),
  );
}

/**
 * What many use needs no word of its own: who reads the token calls the gateway, and who reads rows
 * uses the ledger.
 */
const commonTargets: Readonly<Record<string, string>> = {
  'secretsmanager:GetSecretValue': nodes.gateway,
  'dynamodb:GetItem': nodes.ledger,
  'events:PutEvents': nodes.bus,
};

/**
 * What the role of a function lets it use, and where it may write: into a queue with the reason
 * that was given for it.
 */
function grants(stage: StageTemplates): Edge[] {
  const functions = ofType(stage.workers, 'AWS::Lambda::Function');
  const byRole = new Map(
    functions.map(([id, { Properties }]) => [textAt(Properties, 'Role.Fn::GetAtt.0'), nodeOf(id)]),
  );
  const edgeOf = ({ to, action, resource, why }: Granted): Edge[] => {
    const from = to.kind === 'role' ? byRole.get(to.id) : undefined;
    const common = commonTargets[action];
    if (from === undefined) return [];
    if (common !== undefined) return [flow(from, common)];
    return action === 'sqs:SendMessage' ? [flow(from, nodeBehind(resource, stage), why)] : [];
  };
  return asOneWhereAll(grantedIn(stage).granted.flatMap(edgeOf), functions.length);
}

/** One arrow from all functions if each of them has the same. */
function asOneWhereAll(edges: readonly Edge[], functionCount: number): Edge[] {
  const byTarget = Map.groupBy(edges, ({ to, label }) => JSON.stringify([to, label]));
  return [...byTarget.values()].flatMap((same) => {
    const isAll = new Set(same.map(({ from }) => from)).size === functionCount;
    return isAll ? same.slice(0, 1).map((edge) => ({ ...edge, from: nodes.functions })) : same;
  });
}

function givenUp({ state, workers }: StageTemplates): Edge[] {
  const queues = ofType(state, 'AWS::SQS::Queue')
    .filter(([, { Properties }]) => Properties['RedrivePolicy'] !== undefined)
    .map(([id]) => nodeOf(id));
  const schedulesWithOne = ofType(workers, 'AWS::Scheduler::Schedule')
    .filter(([, { Properties }]) => at(Properties, 'Target.DeadLetterConfig') !== undefined)
    .map(() => nodes.scheduler);
  return [...queues, ...schedulesWithOne].map((from) => ({ ...flow(from, nodes.deadLetters), kind: 'trouble' }));
}

/** Events that rules take from the bus to the topic. */
function notices({ workers }: StageTemplates): Edge[] {
  const types = ofType(workers, 'AWS::Events::Rule').map(([, { Properties }]) =>
    textAt(Properties, 'EventPattern.detail-type.0'),
  );
  return types.length === 0 ? [] : [flow(nodes.bus, nodes.people, types.join(', '))];
}
