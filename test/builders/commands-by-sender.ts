import { seedIds } from '#gateway/seed/seed-ids.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { readSenders, type SenderName } from '#shared/messages/command-senders.ts';

/** The roles of a stage, by ids like `AROA-watch-campaigns`. */
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

/**
 * Commands of each kind that a stage knows, issued at this time; the stops are of a run that no start has taken.
 * @param occurrence - of the schedule of that name
 */
export function commandsAt(issuedAt: string, { name, at }: { readonly name: string; readonly at: string }) {
  const schedule = { kind: 'schedule', name } as const;
  const start = { version: 1, action: 'start', run: 'smoke', issuedAt } as const;
  const campaignRunId = seedIds.campaignRuns.nightly[29];
  const stop = { version: 1, action: 'stop', campaignRunId, issuedAt } as const;
  const upload = { kind: 'upload', name: 'datasets/a.csv' } as const;
  const watcher = { kind: 'watcher', name: 'watch-campaigns' } as const;
  const operator = { kind: 'operator', name: 'dana' } as const;
  const override: CampaignRunCommand['override'] = { guards: ['frozen'], reason: 'x' };
  return {
    'of a schedule': { ...start, id: `${name}@${at}`, issuedAt: at, origin: schedule },
    'of a schedule, at another time': { ...start, id: `${name}@${issuedAt}`, origin: schedule },
    'of a schedule, under another id': { ...start, id: `${name}@${issuedAt}`, issuedAt: at, origin: schedule },
    'of no schedule': { ...start, id: `none@${at}`, issuedAt: at, origin: { kind: 'schedule', name: 'none' } },
    'of an upload': { ...start, id: 'upload:0a:smoke', origin: upload },
    'of changed packages': { ...start, id: 'change:vendor:1:smoke', origin: { kind: 'change', name: 'vendor' } },
    'of a changed project': { ...start, id: 'change:projects.app:1:smoke', origin: { kind: 'change', name: 'app' } },
    'of an operator': { ...start, id: 'start-smoke-1', origin: operator },
    'of an operator who overrides': { ...start, id: 'start-smoke-2', origin: operator, override },
    'to stop, of the watcher': { ...stop, id: commandIds.plannedStop('a'), startId: 'a', origin: watcher },
    'to stop, of the watcher, with the id of another stop': {
      ...stop,
      id: commandIds.end('b'),
      startId: 'a',
      origin: watcher,
    },
    'to stop, of an upload': { ...stop, id: 'upload:0b:smoke', origin: upload },
    'to start, of the watcher': { ...start, id: commandIds.plannedStop('c'), origin: watcher },
    'of an upload, with the id of a schedule': { ...start, id: `${name}@${at}`, issuedAt: at, origin: upload },
  } satisfies Readonly<Record<string, CampaignRunCommand>>;
}

export type CommandKind = keyof ReturnType<typeof commandsAt>;

/** The kinds that each role of the stage sends, if it sends any. */
export const ownKinds: Readonly<Record<SenderName, CommandKind | undefined>> = {
  schedules: 'of a schedule',
  'register-datasets': 'of an upload',
  'poll-scanner-packages': 'of changed packages',
  'watch-projects': 'of a changed project',
  'watch-campaigns': 'to stop, of the watcher',
  'update-campaign-runs': 'to stop, of the watcher',
  'link-tests': undefined,
};
