import { text as allOf } from 'node:stream/consumers';
import type { LineSpec } from '#shared/text/program-arguments.ts';
import { isUuid } from '#shared/gateway-client/operation.ts';
import { type GuardName, guardNames } from '#shared/vocabulary/reason-codes.ts';
import {
  type CommandArguments,
  durationArgument,
  patienceOf,
  reasonOption,
  requiredReason,
  waitingOptions,
} from '../terminal/arguments.ts';
import { type Command, type CommandDeps, type CommandResult, exitCodes, gravestExit } from '../terminal/command.ts';
import { checkCommandList, type ListProblem, sendCommandList, type SentList } from '#operator/runs/command-file.ts';
import { readFileOnce } from '#operator/uploads/upload-source.ts';
import { commandTitle } from '#shared/messages/campaign-run-command.ts';
import { UsageError } from '#operator/errors.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { sendOperatorCommand, type UnstampedCommand } from '#operator/runs/fire-schedule.ts';
import { endOfSent } from './run-lines.ts';
import { refuseUnknownRun, type RunSubject, runSubject } from '#operator/runs/run-ids.ts';
import { refuseUnsentStop } from '#operator/runs/runs-in-flight.ts';
import type { TextScreen } from '../terminal/times.ts';

const ofRun: LineSpec['options'] = { ...reasonOption, ...waitingOptions };

export const command: Command = {
  line: {
    says: 'Sends one command about a campaign run and waits for its outcome.',
    more: 'A start passes the guards or is skipped; a stop passes them all. A stage that only observes sends none (exit code 5).',
    usualVerb: 'list',
    verbs: {
      start: {
        says: 'Starts a configured run, with its next id.',
        words: { '<RUN>': '' },
        options: {
          '--id <UUID>': 'this id of the run, which no start has used',
          '--start-delay <D>': 'the gateway starts it this much later',
          '--stop-after <D>': 'plan its stop this long after it takes effect',
          '--valid-for <D>': 'skip it if it cannot be done within this time (default 1h)',
          '--override <GUARD,…>': `start it though these guards say no: ${guardNames.join(', ')}; needs --reason`,
          ...ofRun,
        },
        examples: [
          'autopilot send start nightly --reason "CHG-1042"',
          'autopilot send start nightly --override blackout,gap --reason "INC-77: proof"',
          'autopilot send start nightly --id 0197f3a0-5b1c-7d2e-8f30-112233445566',
        ],
      },
      stop: {
        says: 'Stops a configured run, or any run by its uuid.',
        words: { '<RUN>': '' },
        options: ofRun,
        examples: ['autopilot send stop nightly', 'autopilot send stop 0197f3a0-5b1c-7d2e-8f30-112233445566'],
      },
      list: {
        says: 'Sends the commands of a JSON file (--file), or none if one is wrong.',
        more: 'Each is as the commands queue takes it, without origin. One with an id is done once, however often the file is sent.',
        options: { '--file <FILE>': 'the file; - is standard input', ...waitingOptions },
        examples: ['autopilot send --file commands.json'],
      },
    },
  },
  async run(args, deps) {
    const { verb } = args;
    if (verb !== 'start' && verb !== 'stop') return sendFile(args, deps);
    const [subject = ''] = args.positionals;
    const patience = patienceOf(args);
    const wanted = wantedCommand(verb, subject, args);
    await refuseUnknownRun(wanted, deps);
    if (verb === 'stop') await refuseUnsentStop(wanted, deps);
    const sent = await sendOperatorCommand(wanted, { verb: 'send', subject: `${verb}:${subject}`, patience }, deps);
    return { data: sent, ...endOfSent(`${verb} ${subject}`, sent) };
  },
};

function wantedCommand(action: UnstampedCommand['action'], subject: string, args: CommandArguments): UnstampedCommand {
  const duration = (name: string) => {
    const text = args.text(name);
    return text === undefined ? undefined : durationArgument(`--${name}`, text).iso;
  };
  return defined({
    action,
    ...(action === 'start' ? startSubject(subject, args.text('id')) : runSubject(subject)),
    reason: args.text('reason'),
    startDelay: duration('start-delay'),
    stopAfter: duration('stop-after'),
    validFor: duration('valid-for'),
    override: overrideOf(args),
  });
}

function startSubject(subject: string, id: string | undefined): RunSubject {
  const named = runSubject(subject);
  if (named.campaignRunId !== undefined)
    throw new UsageError(`a start names a configured run, and ${subject} is a uuid: its run goes in the place of RUN`, {
      command: ['autopilot', 'send', 'start', 'RUN', '--id', named.campaignRunId],
    });
  if (id !== undefined && !isUuid(id)) throw new UsageError(`--id: "${id}" is not a uuid`);
  return { ...named, campaignRunId: id?.toLowerCase() };
}

/** @throws UsageError for a guard that there is not: a slip would leave the start to the guards */
function overrideOf(args: CommandArguments): UnstampedCommand['override'] {
  const text = args.text('override');
  if (text === undefined) return undefined;
  const reason = requiredReason(args);
  return { guards: [...new Set(text.split(',').map((word) => guardNamed(word.trim().toLowerCase())))], reason };
}

function guardNamed(word: string): GuardName {
  const guard = guardNames.find((known) => known === word);
  if (guard !== undefined) return guard;
  throw new UsageError(
    `there is no guard "${word}"${didYouMean(word, guardNames, ':') || `: there are ${guardNames.join(', ')}`}`,
  );
}

/** Leaves out what was not given: the schema tells an absent field from an undefined one. */
function defined(wanted: UnstampedCommand): UnstampedCommand {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), action: wanted.action };
}

async function sendFile(args: CommandArguments, deps: CommandDeps): Promise<CommandResult> {
  const file = args.text('file');
  if (file === undefined)
    throw new UsageError('send needs start, stop or --file', { command: ['autopilot', 'send', '--help'] });
  const patience = patienceOf(args);
  const checked = await checkCommandList(
    file === '-' ? await allOf(process.stdin) : String(await readFileOnce(file)),
    deps,
  );
  if (!checked.ok) return refused(file, checked.problems);
  return resultOf(await sendCommandList(checked.commands, patience, deps));
}

function refused(file: string, problems: readonly ListProblem[]): CommandResult {
  const name = file === '-' ? 'standard input' : file;
  return {
    exitCode: exitCodes.usage,
    data: { commands: [], problems },
    render: ({ paint }) => [
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
    exitCode:
      failed === undefined ? gravestExit(ends.map(({ exitCode = exitCodes.done }) => exitCode)) : exitCodes.failed,
    data: failed === undefined ? { commands } : { commands, failed, notSent },
    render: (screen, times) => [
      ...ends.flatMap(({ render }) => render(screen, times)),
      ...(failed === undefined ? [] : cutShort(failed, notSent, screen)),
    ],
  };
}

function cutShort(
  { id, index, problem }: NonNullable<SentList['failed']>,
  notSent: SentList['notSent'],
  { paint }: TextScreen,
): readonly string[] {
  return [
    `${id}: ${paint('red', 'failed')}: ${problem}`,
    ...notSent.map((one) => `${one}: ${paint('yellow', 'not sent')}`),
    `send a file with the commands from ${index} on, and leave out those that were sent`,
  ];
}
