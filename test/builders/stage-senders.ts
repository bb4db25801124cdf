/** The roles of a stage in tests, as SQS proves them: by ids like `AROA-watch-campaigns`. */
import { readSenders, type SenderName } from '#shared/messages/command-senders.ts';

export const senderNames = [
  'schedules',
  'register-datasets',
  'poll-scanner-packages',
  'watch-projects',
  'watch-campaigns',
  'update-campaign-runs',
  'link-tests',
] as const satisfies readonly SenderName[];

export const stageSenders = readSenders(senderNames.map((name) => `${name}=AROA-${name}`).join(' '));

/** The `SenderId` of a role. */
export const senderIdOf = (name: string) => `AROA-${name}:a-session`;

/** Who may send to the commands queue, and is no role of the stage. */
export const stranger = senderIdOf('stranger');
