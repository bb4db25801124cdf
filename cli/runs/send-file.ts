/** `autopilot send --file`: the commands of a JSON file, all or none. */
import { text } from 'node:stream/consumers';
import { UsageError } from '#operator/errors.ts';
import { checkCommandList, type ListProblem, sendCommandList, type SentList } from '#operator/runs/command-list.ts';
import { readFileOnce } from '#operator/uploads/upload-source.ts';
import { commandTitle } from '#shared/messages/campaign-run-command.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import { type CommandArguments, patienceOf } from '../terminal/arguments.ts';
import { type CommandDeps, type CommandResult, exitCodes, gravestExit } from '../terminal/command.ts';
import { endOfSent } from './run-lines.ts';

/** Sends what a file lists. */
export async function sendFile(args: CommandArguments, deps: CommandDeps): Promise<CommandResult> {
  const file = args.text('file');
  if (file === undefined)
    throw new UsageError('send needs start, stop or --file', { command: ['autopilot', 'send', '--help'] });
  const patience = patienceOf(args);
  const checked = await checkCommandList(file === '-' ? await text(process.stdin) : await textOf(file), deps);
  if (!checked.ok) return refused(file, checked.problems);
  return resultOf(await sendCommandList(checked.commands, patience, deps));
}

async function textOf(file: string): Promise<string> {
  return (await readFileOnce(file)).toString();
}

function refused(file: string, problems: readonly ListProblem[]): CommandResult {
  const name = file === '-' ? 'standard input' : file;
  return {
    exitCode: exitCodes.usage,
    data: { commands: [], problems },
    render: (paint) => [
      ...problems.map(
        ({ index, problem }) => `${name}${index === undefined ? '' : `, command ${index}`}: ${paint('red', problem)}`,
      ),
      'nothing was sent: correct the file and send it again',
    ],
  };
}

function resultOf({ commands, failed, notSent }: SentList): CommandResult {
  const ends = commands.map((sent) => endOfSent(`${sent.command.id}: ${commandTitle(sent.command)}`, sent));
  return {
    exitCode: failed === undefined ? gravestExit(ends.map(({ exitCode }) => exitCode)) : exitCodes.failed,
    data: failed === undefined ? { commands } : { commands, failed, notSent },
    render: (paint, times) => [
      ...ends.flatMap(({ render }) => render(paint, times)),
      ...(failed === undefined ? [] : cutShort(failed, notSent, paint)),
    ],
  };
}

function cutShort(
  { id, index, problem }: NonNullable<SentList['failed']>,
  notSent: SentList['notSent'],
  paint: Paint,
): readonly string[] {
  return [
    `${id}: ${paint('red', 'failed')}: ${problem}`,
    ...notSent.map((one) => `${one}: ${paint('yellow', 'not sent')}`),
    `send a file with the commands from ${index} on, and leave out those that were sent`,
  ];
}
