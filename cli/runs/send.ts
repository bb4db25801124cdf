import { isUuid } from '#shared/gateway-client/endpoints/schema.ts';
import { type GuardName, guardNames } from '#shared/vocabulary/reason-codes.ts';
import { type CommandArguments, durationArgument, patienceOf, waitingOptions } from '../terminal/arguments.ts';
import type { Command, CommandResult } from '../terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { wrapLine } from '#shared/text/terminal-writer.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { sendOperatorCommand, type UnstampedCommand } from '#operator/runs/fire-schedule.ts';
import { endOfSent } from './run-lines.ts';
import { sendFile } from './send-file.ts';
import { refuseUnknownRun, type RunSubject, runSubject } from '#operator/runs/run-ids.ts';
import { refuseUnsentStop } from '#operator/runs/runs-in-flight.ts';

const helpWidth = 80;
const overrideHelp = wrapLine(
  `  --override GUARD          start: do it though this guard says no (several with commas: ${guardNames.join(', ')}); needs a --reason`,
  helpWidth,
);

const help = `autopilot send start|stop RUN [options]
autopilot send --file FILE

Sends one command about a campaign run and waits for its outcome. RUN is a
configured run; a stop also takes the uuid of any run. A start takes the next id
of the run, or --id, and is judged by the same guards as every other; a stop
passes them all. A stage that only observes sends none: it refuses to stop what
it started for real (exit code 1), else says what it would have sent (5).

  --reason TEXT             why, for the record
  --id UUID                 start: this id of the run, which no start has used
  --start-delay D           start: the gateway starts it this much later
  --stop-after D            start: plan its stop this long after it takes effect
  --valid-for D             start: skip it if it cannot be done within this time
                            (default 1h)
${overrideHelp.join('\n')}
  --file FILE               send the commands that a JSON file lists, in their
                            order, or none if one is wrong (- is standard
                            input). Each is as the commands queue takes it, but
                            without origin; id, issuedAt and version are filled
                            in. One with an id of its own is done once, however
                            often the file is sent
  --timeout D               how long to wait for the outcome (default 60s)
  --no-wait                 send it and leave

Examples
  autopilot send start nightly --reason "CHG-1042"
  autopilot send start nightly --override blackout,gap --reason "INC-77: proof"
  autopilot send stop nightly
  autopilot send start nightly --id 0197f3a0-5b1c-7d2e-8f30-112233445566
  autopilot send stop 0197f3a0-5b1c-7d2e-8f30-112233445566
  echo '[{"action": "start", "run": "smoke"}]' | autopilot send --file -`;

const actions = ['start', 'stop'] as const;
type Action = (typeof actions)[number];

/** Which options mean something for which action. */
const optionsOf: Readonly<Record<Action, readonly string[]>> = {
  start: ['id', 'start-delay', 'stop-after', 'valid-for', 'override'],
  stop: [],
};

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const file = args.text('file');
  if (file !== undefined) return sendFile(file, args, deps);
  const [word, subject, ...more] = args.positionals;
  const action = actionOf(word);
  if (subject === undefined)
    throw new UsageError(`send ${action} needs a run`, { command: ['autopilot', 'send', action, 'RUN'] });
  if (more.length > 0) throw new UsageError(`send ${action} takes one run, and "${more[0]}" is one more`);
  const patience = patienceOf(args);
  const wanted = wantedCommand(action, subject, args);
  await refuseUnknownRun(wanted, deps);
  if (action === 'stop') await refuseUnsentStop(wanted, deps);
  const sent = await sendOperatorCommand(wanted, { verb: 'send', subject: `${action}:${subject}`, patience }, deps);
  return { data: sent, ...endOfSent(`${action} ${subject}`, sent) };
}

function actionOf(word: string | undefined): Action {
  const action = actions.find((known) => known === word);
  if (action !== undefined) return action;
  if (word === undefined)
    throw new UsageError('send needs an action and a run', { command: ['autopilot', 'send', 'start|stop', 'RUN'] });
  throw new UsageError(`send knows start and stop, not "${word}"${didYouMean(word, actions, ':')}`);
}

function wantedCommand(action: Action, subject: string, args: CommandArguments): UnstampedCommand {
  const given = optionsOf.start.filter((name) => args.text(name) !== undefined);
  const useless = given.find((name) => !optionsOf[action].includes(name));
  if (useless !== undefined) throw new UsageError(`--${useless} means nothing for ${action}`);
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

/** @throws UsageError for a uuid in the place of the run, and for an id that is no uuid */
function startSubject(subject: string, id: string | undefined): RunSubject {
  const named = runSubject(subject);
  if (named.campaignRunId !== undefined)
    throw new UsageError(`a start names a configured run, and ${subject} is a uuid`, {
      command: ['autopilot', 'send', 'start', 'RUN', '--id', named.campaignRunId],
    });
  if (id !== undefined && !isUuid(id)) throw new UsageError(`--id: "${id}" is not a uuid`);
  return { ...named, campaignRunId: id?.toLowerCase() };
}

/** @throws UsageError for a guard that there is not: a slip would leave the start to the guards */
function overrideOf(args: CommandArguments): UnstampedCommand['override'] {
  const text = args.text('override');
  if (text === undefined) return undefined;
  const reason = args.text('reason');
  if (reason === undefined) throw new UsageError('--override needs a --reason: it stays in the ledger');
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

/** `autopilot send`. */
export const command: Command = {
  help,
  words: actions,
  options: {
    ...waitingOptions,
    reason: { type: 'string' },
    id: { type: 'string' },
    'start-delay': { type: 'string' },
    'stop-after': { type: 'string' },
    'valid-for': { type: 'string' },
    override: { type: 'string' },
    file: { type: 'string' },
  },
  run,
};
