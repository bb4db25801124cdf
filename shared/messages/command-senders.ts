/** Who sent a command, as SQS proves it, against whom the command names. */
import { isDeepStrictEqual } from 'node:util';
import type { ResolvedSchedule } from '../config/resolve/resolved-automation.ts';
import { fireTimes, parseScheduleExpression } from '../schedule/schedule-expression.ts';
import type { CampaignRunCommand } from './campaign-run-command.ts';
import { commandIds, type RepeatableRow, repeatOf } from './command-ids.ts';
import { hourMs } from '../schedule/duration.ts';

/** The sender of a message. */
export interface CommandSender {
  /** SQS's `SenderId`: of a role `ID:SESSION`. */
  readonly id: string;
  /** It is the role of the stage that sends commands of this origin. Absent: a person, or not known. */
  readonly isProven?: true;
}

/** What says who sent a message. */
export interface SentBy {
  /** As SQS proves it. */
  readonly id: string | undefined;
  readonly sentAt: Date;
  /** Of a dead-letter queue: it may be late by any time. */
  readonly isDeadLetter?: true;
  /** The roles that send commands; `'trusted'`: a plan, whose messages are the stage's own. */
  readonly senders: Senders | 'trusted';
  readonly schedules: readonly Pick<ResolvedSchedule, 'name' | 'expression' | 'timezone' | 'startDate'>[];
}

type Own = (command: CampaignRunCommand, by: SentBy) => boolean;

const isStartOf =
  (kind: CampaignRunCommand['origin']['kind'], ids: RegExp): Own =>
  ({ id, action, origin }) =>
    action === 'start' && origin.kind === kind && ids.test(id);

const isOwnStop: Own = ({ id, action, origin, startId }) =>
  action === 'stop' &&
  origin.kind === 'watcher' &&
  startId !== undefined &&
  [commandIds.plannedStop(startId), commandIds.end(startId)].includes(id);

/** An occurrence lies within this of the instant that Scheduler names; and no message is sent before that. */
const aroundMs = 60_000;

/** Scheduler tries for a day, and may begin its last try at the end of it. */
const latestMs = 25 * hourMs;

const isOccurrence: Own = ({ id, issuedAt, origin }, { sentAt, isDeadLetter, schedules }) => {
  const schedule = schedules.find(({ name }) => name === origin.name);
  if (schedule === undefined || origin.kind !== 'schedule' || id !== commandIds.schedule(origin.name, issuedAt)) {
    return false;
  }
  const atMs = Date.parse(issuedAt);
  const lateMs = sentAt.getTime() - atMs;
  const read = parseScheduleExpression(schedule.expression);
  if (!read.ok || lateMs < -aroundMs || (lateMs > latestMs && isDeadLetter !== true)) return false;
  const { timezone, startDate } = schedule;
  const begins = startDate === undefined ? undefined : new Date(startDate);
  const bounds = { startDate: begins, endDate: new Date(atMs + aroundMs + 1) };
  return fireTimes(read.value, timezone, new Date(atMs - aroundMs - 1), bounds).next().done !== true;
};

/** The roles of the stage that send commands, and the commands that are theirs, ids included: an id is one command for ever. */
const ownCommands = {
  schedules: isOccurrence,
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
export function roleBehind(id: string | undefined, senders: SentBy['senders']): SenderName | undefined {
  return senders === 'trusted' ? undefined : senders.get(id?.split(':')[0] ?? '');
}

/** Reads `schedules=AROA… watch-campaigns=AROA…`, as infra writes it. */
export function readSenders(text: string): Senders {
  const known = text.split(' ').map((pair) => pair.split('='));
  return new Map(known.flatMap(([name = '', id = '']) => (isSender(name) ? [[id, name] as const] : [])));
}

function isSender(name: string): name is SenderName {
  return Object.hasOwn(ownCommands, name);
}

/** What the row of a command has of it. */
interface KnownCommand {
  readonly command: CampaignRunCommand;
  readonly sender?: CommandSender;
  readonly isTaken?: true;
  readonly outcome?: unknown;
}

/** The rows that a message is judged by. */
export interface KnownRows {
  /** Of its id. */
  readonly own?: KnownCommand | undefined;
  /** Of the command that it repeats by its id. */
  readonly repeated?: RepeatableRow | undefined;
}

/** A command that is done, in the row of its id or apart from it; or what is wrong with its message. */
export type JudgedMessage =
  | { readonly command: CampaignRunCommand; readonly sender?: CommandSender }
  | { readonly problem: string };

/**
 * Judges a message by its sender. An unproven sender may be a person. It uses no id that can be
 * worked out: such a message would cancel a start or stop to come. A role that sends what another
 * one sends was taken over. Pure.
 */
export function judgeMessage(command: CampaignRunCommand, by: SentBy, rows: KnownRows): JudgedMessage {
  const { id, senders } = by;
  if (senders === 'trusted') return { command };
  const name = roleBehind(id, senders);
  if (id === undefined || name === undefined) return judgeUnproven(command, id, rows);
  if (ownCommands[name](command, by)) {
    return { command: isForeign(rows.own, command) ? apart(command) : command, sender: { id, isProven: true } };
  }
  if (name === 'watch-campaigns' && isSentAgain(command, rows.own)) return { command };
  const { action, origin } = command;
  return { problem: `origin: ${name} sent it (${id}), and sends no such ${action} of the origin ${origin.kind}` };
}

/** Whether only the stage itself may give a command this id: with a `:` or an `@` ids can be worked out before they are used. */
export function isStageId(id: string): boolean {
  return /[:@]/.test(id);
}

/** The id of the command that this one repeats, if it is named as a person's repeat. */
export function repeatedId(id: string): string | undefined {
  const [, stem = '', count = ''] = /^(.+)~(\d+)$/s.exec(id) ?? [];
  if (Number(count) < 2) return undefined;
  return count === '2' ? stem : `${stem}~${Number(count) - 1}`;
}

function judgeUnproven(command: CampaignRunCommand, id: string | undefined, { own, repeated }: KnownRows) {
  const says = `sent by ${id ?? 'an unknown sender'}`;
  if (isStageId(command.id) && !isSame(command, repeated && repeatOf(repeated))) {
    return { problem: `id: holds a ":" or an "@", as only ids of the stage's own commands do, and was ${says}` };
  }
  if (own !== undefined && !isSame(command, own.command)) {
    return { problem: `id: another command has this id; this one was ${says}` };
  }
  return { command, sender: id === undefined ? undefined : { id } };
}

/** Whether the row of the id has another command, of a sender that was not proven. */
function isForeign(own: KnownCommand | undefined, command: CampaignRunCommand): boolean {
  return own !== undefined && own.sender?.isProven !== true && !isSame(command, own.command);
}

function apart(command: CampaignRunCommand): CampaignRunCommand {
  return { ...command, id: commandIds.apart(command.id) };
}

/**
 * Whether the watcher sends again what another sender sent before. It is to the letter the command
 * of a row that `update-campaign-runs` took, or that has its outcome.
 */
function isSentAgain(sent: CampaignRunCommand, known: KnownCommand | undefined): boolean {
  if (known === undefined || (known.isTaken !== true && known.outcome === undefined)) return false;
  return isSame(sent, known.command);
}

/** A stage that observes marks what it sends. A row keeps no field without a value. */
function isSame(one: CampaignRunCommand, other: CampaignRunCommand | undefined): boolean {
  if (other === undefined) return false;
  const [left, right] = [one, other].map((command) => ({ ...command, isObserved: undefined }));
  return isDeepStrictEqual(JSON.parse(JSON.stringify(left)), JSON.parse(JSON.stringify(right)));
}
