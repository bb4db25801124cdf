import { plainId } from '../security/words.ts';
import { at, listOf, ofType, type StageTemplates, targetOf, textAt } from '../template.ts';

/** What is drawn beside folders, queues and functions: its id in the picture. */
export const nodes = {
  scheduler: 'scheduler',
  /** All queues of dead letters: drawn apart they would hide the flow. */
  deadLetters: 'deadLetters',
  /** Every function, where all of them do something. */
  functions: 'functions',
  gateway: 'gateway',
  ledger: 'ledger',
  bus: 'bus',
  alarms: 'alarms',
  people: 'people',
} as const;

/** The node of a queue or a function: its logical id without the hash, and without the word that only CDK needs. */
export function nodeOf(logicalId: string): string {
  const id = plainId(logicalId);
  return id.endsWith('DeadLetters') ? nodes.deadLetters : id.replace(/Function$/, '');
}

/** The node of what a reference of the templates leads to. */
export function nodeBehind(reference: Parameters<typeof targetOf>[0], stage: StageTemplates): string {
  return nodeOf(targetOf(reference, stage));
}

/** The node of a prefix of the bucket. */
export function folderNode(prefix: string): string {
  return `folder_${prefix.replaceAll(/\W/g, '')}`;
}

/** The prefixes that the bucket announces, and to which queue. */
export function announcedFolders({ state }: StageTemplates): { readonly prefix: string; readonly queue: string }[] {
  return ofType(state, 'AWS::S3::Bucket').flatMap(([, { Properties }]) =>
    listOf(at(Properties, 'NotificationConfiguration.QueueConfigurations')).map((announcement) => ({
      prefix: textAt(announcement, 'Filter.S3Key.Rules.0.Value'),
      queue: textAt(announcement, 'Queue.Fn::GetAtt.0'),
    })),
  );
}
