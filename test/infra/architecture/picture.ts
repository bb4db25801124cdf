import { plainId } from '../security/words.ts';
import { ofType, type StageTemplates, textAt } from '../template.ts';
import { type Edge, edgesOf } from './picture-edges.ts';
import { announcedFolders, folderNode, nodeOf, nodes } from './picture-nodes.ts';

/**
 * The stage as a flowchart in Mermaid: what its templates connect, and nothing else. Left out is what every function has (role, log group) and
 * what keeps data safe.
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
