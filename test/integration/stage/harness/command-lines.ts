import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import type { CommandResult } from './stage-process.ts';

/**
 * What a line of the command needs to find in the stage, made by the developer before the line is
 * run.
 */
export interface Scene {
  /** Runs the command as the developer. */
  readonly autopilot: (...args: readonly string[]) => Promise<CommandResult>;
  readonly ledger: Ledger;
  /** Writes a file whose bytes no other file has, and gives its path. */
  readonly file: (name: string, text: string) => string;
  /** A part of an id that no other id has. */
  readonly unique: () => string;
  readonly now: () => Date;
}

/** A command line, and what `docs/security.md` says of it. */
export interface CommandLine {
  /** As the page calls it. */
  readonly page: string;
  readonly words: string;
  /** The action that a reader lacks; absent: a reader may do it. */
  readonly readerLacks?: string;
  /** Prepares the stage and completes the line. @default the words as they are */
  readonly with?: (scene: Scene) => Promise<readonly string[]>;
}

const good = 'prompt,label\nhello,false\n';

/** Every command of `autopilot`, each of its forms that asks AWS for something else. */
export const commandLines: readonly CommandLine[] = [
  { page: 'status', words: 'status' },
  { page: 'doctor', words: 'doctor' },
  { page: 'history', words: 'history' },
  { page: 'uploads', words: 'uploads' },
  { page: 'plan', words: 'plan' },
  { page: 'token check', words: 'token check' },
  { page: 'clock', words: 'clock' },
  { page: 'calendar', words: 'calendar' },
  { page: 'alarm', words: 'alarm' },
  { page: 'report', words: 'report --out', with: async ({ file, unique }) => [file(`report-${unique()}.html`, '')] },
  { page: 'runbook', words: 'runbook GateClosed' },
  { page: 'check', words: 'check', with: async () => ['examples/datasets/prompt-injection.csv'] },
  { page: 'parked list', words: 'parked list' },
  { page: 'parked show', words: 'parked show', with: async (scene) => [await parkedUpload(scene)] },
  {
    page: 'parked resolve --dry-run',
    words: 'parked resolve --dry-run --dismiss --reason test',
    with: async (scene) => [await parkedUpload(scene)],
  },
  { page: 'show', words: 'show', with: async (scene) => [await registeredDataset(scene)] },
  { page: 'scores', words: 'scores' },
  { page: 'evidence', words: 'evidence smoke', with: async (scene) => startedRun(scene).then(() => []) },
  { page: 'bind --list', words: 'bind nightly --list' },
  {
    page: 'upload',
    words: 'upload',
    readerLacks: 's3:PutObject',
    with: async ({ file, unique }) => [file(`up-${unique()}.csv`, good)],
  },
  { page: 'send', words: 'send stop nightly --reason test', readerLacks: 'sqs:SendMessage' },
  { page: 'fire, of a command', words: 'fire by-morning', readerLacks: 'sqs:SendMessage' },
  { page: 'fire, of a watch', words: 'fire scanner-packages.vendor', readerLacks: 'lambda:InvokeFunction' },
  {
    page: 'stop',
    words: 'stop --all-in-flight --yes --reason test',
    readerLacks: 'sqs:SendMessage',
    with: async (scene) => startedRun(scene).then(() => []),
  },
  {
    page: 'bind',
    words: 'bind nightly',
    readerLacks: 'dynamodb:PutItem',
    with: async ({ unique }) => [`019ba000-0000-7000-8000-0000${unique()}`],
  },
  { page: 'freeze', words: 'freeze --reason test', readerLacks: 'dynamodb:PutItem' },
  {
    page: 'thaw',
    words: 'thaw',
    readerLacks: 'dynamodb:PutItem',
    with: async ({ autopilot }) => autopilot('freeze', '--reason', 'test').then(() => []),
  },
  { page: 'pause', words: 'pause campaign chat-bot --reason test', readerLacks: 'dynamodb:PutItem' },
  {
    page: 'resume',
    words: 'resume campaign chat-bot',
    readerLacks: 'dynamodb:PutItem',
    with: async ({ autopilot }) => autopilot('pause', 'campaign', 'chat-bot', '--reason', 'test').then(() => []),
  },
  { page: 'token set', words: 'token set', readerLacks: 'secretsmanager:DescribeSecret' },
  {
    page: 'parked resolve',
    words: 'parked resolve --repeat --reason test',
    readerLacks: 'dynamodb:PutItem',
    with: async (scene) => [await parkedUpload(scene)],
  },
  {
    page: 'parked resolve',
    words: 'parked resolve --dismiss --reason test',
    readerLacks: 'dynamodb:PutItem',
    with: async (scene) => [await parkedStop(scene)],
  },
];

/** Freezes the stage and takes its unused runs, which other lines need. */
export const drainLine: CommandLine = { page: 'drain', words: 'drain', readerLacks: 'dynamodb:PutItem' };

/** The table of docs/security.md: the permission that a reader lacks for each command. */
export function tableOfCommands(): string {
  const byPermission = Map.groupBy([...commandLines, drainLine], ({ readerLacks }) => readerLacks);
  const rows = [...byPermission].map(([lacks, lines]) => {
    const names = lines.map(({ page }) => `\`autopilot ${page.replace(',', '`,')}${page.includes(',') ? '' : '`'}`);
    return `| ${lacks === undefined ? 'nothing' : `\`${lacks}\``} | ${[...new Set(names)].join('; ')} |`;
  });
  return ['| a `Reader` lacks | for |', '|---|---|', ...rows].join('\n');
}

async function parkedUpload(scene: Scene): Promise<string> {
  return parkedIdOf(scene, 'upload', '--anyway', scene.file(`bad-${scene.unique()}.csv`, `wrong,${scene.unique()}\n`));
}

async function parkedIdOf({ autopilot }: Scene, ...line: readonly string[]): Promise<string> {
  const { json } = await autopilot(...line, '--json');
  const [upload] = json()['uploads'] as readonly { readonly parkedId: string }[];
  return upload?.parkedId ?? '';
}

async function registeredDataset({ autopilot, file, unique }: Scene): Promise<string> {
  const { json } = await autopilot('upload', file(`${unique()}.csv`, `${good}${unique()},true\n`), '--json');
  const [upload] = json()['uploads'] as readonly { readonly datasetId: string }[];
  return upload?.datasetId ?? '';
}

/** Whatever the lines before have frozen. A run that is in flight will do: each id is started once. */
async function startedRun({ autopilot }: Scene): Promise<void> {
  const { inFlight } = (await autopilot('status', '--json')).json();
  if (Array.isArray(inFlight) && inFlight.length > 0) return;
  const words = 'send start smoke --override frozen --reason test';
  const { code, stdout, stderr } = await autopilot(...words.split(' '));
  if (code !== 0) throw new Error(`the run was not started: ${stdout}${stderr}`);
}

/** A planned stop that was parked. */
async function parkedStop(scene: Scene): Promise<string> {
  const at = scene.now().toISOString();
  const startId = `start-${scene.unique()}`;
  const id = commandIds.plannedStop(startId);
  const campaignRunId = '019ba000-0000-7000-8000-000000000401';
  const command: CommandRow['command'] = {
    version: 1,
    id,
    action: 'stop',
    campaignRunId,
    issuedAt: at,
    origin: { kind: 'watcher', name: 'watch-campaigns' },
    startId,
  };
  const pk = ledgerKeys.command(id);
  await scene.ledger.write<CommandRow>(undefined, {
    pk,
    kind: 'command',
    id,
    command,
    campaignRunId,
    outcome: { kind: 'parked', reason: 'HORIZON_EXCEEDED', at },
    openState: 'PARKED',
    openSince: at,
    parked: { message: JSON.stringify(command), queue: 'commands', attempts: 1, firstSeen: at, lastSeen: at },
  });
  return id;
}
