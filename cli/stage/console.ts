import type { LineSpec } from '#shared/text/program-arguments.ts';
import type { Command, CommandResult, Person } from '../terminal/command.ts';
import { type WriteKind, writeKinds } from '#console/api.ts';
import type { WantedStage } from '#console/server/console-stage.ts';
import { UsageError } from '#operator/errors.ts';
import { wordsTo } from '#operator/target.ts';
import { type CommandArguments, countArgument } from '../terminal/arguments.ts';
const spec: LineSpec = {
  says: 'Serves a page about your stages, on this machine alone (127.0.0.1), until Ctrl-C. It uses your own AWS credentials.',
  more: 'It prints an address that opens one tab, once, within five minutes; Enter prints another. From another machine: ssh -L PORT:127.0.0.1:PORT HOST, the same port on both sides. --stage and --data can be there several times.',
  options: {
    '--port <N>': 'listen there (default: a free one)',
    '--allow <WHAT,…>':
      'what the page may do, each with a reason: upload (files that start nothing), upload-and-start, resolve, switch, stop',
  },
  examples: [
    'autopilot console --stage prod@eu-west-1:work --stage prod@us-east-1:work',
    'autopilot console --port 7420 --allow resolve,switch,stop --aws --stage prod',
  ],
};

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  return serve(args, [{ label: deps.target.stage, words: wordsTo(deps.target), open: () => deps }], deps);
}

async function serve(args: CommandArguments, stages: readonly WantedStage[], person: Person): Promise<CommandResult> {
  if (args.flag('json')) throw new UsageError('--json prints one document, and console goes on: leave it out');
  const allow = allowed(args.text('allow'));
  const port = args.text('port');
  // Loaded here: no other command pays for a server.
  const [{ startConsole }, { consoleStages }, { readAssets }] = await Promise.all([
    import('#console/program/start-console.ts'),
    import('#console/server/console-stage.ts'),
    import('#console/assets.ts'),
  ]);
  const running = await startConsole({
    stages: consoleStages(stages),
    assets: readAssets,
    allow,
    operator: person.operator,
    warn: person.progress,
    port: port === undefined ? undefined : countArgument('--port', port, 65_535),
  });
  const print = () => person.progress(`open once, within 5 minutes: ${running.newLink()}`);
  const may = allow.length === 0 ? 'the page changes nothing' : `the page may ${allow.join(', ')}`;
  person.progress(`the console listens at ${running.url}; ${may}. Enter prints another address, Ctrl-C ends it`);
  print();
  await untilInterrupted(print, person);
  await running.close();
  return { data: {}, render: () => ['the console has ended'] };
}

async function untilInterrupted(onEnter: () => void, person: Person): Promise<void> {
  const interruption = person.interruption('SIGTERM', 'SIGHUP');
  const ended = Promise.withResolvers<void>();
  if (interruption.aborted) ended.resolve();
  interruption.addEventListener('abort', () => ended.resolve());
  const stop = person.onEnter(onEnter);
  await ended.promise;
  stop();
}

function allowed(text: string | undefined): readonly WriteKind[] {
  if (text === undefined) return [];
  return text.split(',').map((word) => {
    const kind = writeKinds.find((known) => known === word.trim());
    if (kind === undefined)
      throw new UsageError(`--allow takes ${writeKinds.join(', ')}, and "${word}" is none of them`);
    return kind;
  });
}

export const command: Command = { line: spec, run, runSeveral: serve };
