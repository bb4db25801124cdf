/** Who sent a command, as SQS proves it, against whom the command names. */
import { isDeepStrictEqual } from 'node:util';
import type { CampaignRunCommand } from './campaign-run-command.ts';

/** The sender of a message. */
export interface CommandSender {
  /** SQS's `SenderId`: of a role `ID:SESSION`. */
  readonly id: string;
  /** It is the role of the stage that sends commands of this origin. Absent: a person, or not known. */
  readonly isProven?: true;
}

type Own = (command: Pick<CampaignRunCommand, 'id' | 'action' | 'origin'>) => boolean;

const isStartOf =
  (kind: CampaignRunCommand['origin']['kind'], ids: RegExp): Own =>
  ({ id, action, origin }) =>
    action === 'start' && origin.kind === kind && ids.test(id);

const isOwnStop: Own = ({ id, action, origin }) =>
  action === 'stop' && origin.kind === 'watcher' && /^(?:planned-stop|end):/.test(id);

/** The roles of the stage that send commands, and the commands that are theirs, ids included: an id is one command for ever. */
const ownCommands = {
  schedules: ({ origin }) => origin.kind === 'schedule',
  'register-datasets': isStartOf('upload', /^upload:/),
  'poll-scanner-packages': isStartOf('change', /^change:(?!projects\.)/),
  'watch-projects': isStartOf('change', /^change:projects\./),
  'watch-campaigns': isOwnStop,
  'update-campaign-runs': isOwnStop,
  'link-tests': () => false, // marks alone, which are no commands (link-test.ts)
} as const satisfies Readonly<Record<string, Own>>;

/** A role of the stage that sends commands. */
export type SenderName = keyof typeof ownCommands;

/** Those roles by their unique ids, which IAM gives no role twice. */
export type Senders = ReadonlyMap<string, SenderName>;

/** The role of the stage that sent a message; `undefined` for a person, or if that is not known. */
export function roleBehind(id: string | undefined, senders: Senders | undefined): SenderName | undefined {
  return senders?.get(id?.split(':')[0] ?? '');
}

/** Reads `schedules=AROA… watch-campaigns=AROA…`, as infra writes it. */
export function readSenders(text: string): Senders {
  const known = text.split(' ').map((pair) => pair.split('='));
  return new Map(known.flatMap(([name = '', id = '']) => (isSender(name) ? [[id, name] as const] : [])));
}

function isSender(name: string): name is SenderName {
  return Object.hasOwn(ownCommands, name);
}

/**
 * Judges the sender of a command. One that is no role of the stage is kept unproven: it may be a
 * person. A role that sends what another one sends was taken over. Pure.
 * @returns the sender for the row; `forged` says what is wrong with it
 */
export function judgeSender(
  command: CampaignRunCommand,
  { id, senders }: { readonly id: string | undefined; readonly senders: Senders | undefined },
): { readonly sender?: CommandSender; readonly forged?: { readonly problem: string; readonly by: SenderName } } {
  if (id === undefined) return {};
  const by = roleBehind(id, senders);
  if (by === undefined) return { sender: { id } };
  if (ownCommands[by](command)) return { sender: { id, isProven: true } };
  const { action, origin } = command;
  return {
    forged: { by, problem: `origin: ${by} sent it (${id}), and sends no such ${action} of the origin ${origin.kind}` },
  };
}

/** What the row of a command has of it. */
interface KnownCommand {
  readonly command: CampaignRunCommand;
  readonly isTaken?: true;
  readonly outcome?: unknown;
}

/**
 * Whether the watcher sends again what another sender sent before. It is to the letter the command
 * of a row that `update-campaign-runs` took, or that has its outcome. Pure.
 */
export function isSentAgain(sent: CampaignRunCommand, by: SenderName, known: KnownCommand | undefined): boolean {
  if (by !== 'watch-campaigns' || known === undefined) return false;
  if (known.isTaken !== true && known.outcome === undefined) return false;
  // A stage that observes marks what it sends.
  const { isObserved: _now, ...command } = sent;
  const { isObserved: _then, ...before } = known.command;
  return isDeepStrictEqual(command, before);
}
