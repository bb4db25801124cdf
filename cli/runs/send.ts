import { type GuardName, guardNames } from '#shared/vocabulary/reason-codes.ts';
import { type CommandArguments, durationArgument, patienceOf, waitingOptions } from '../terminal/arguments.ts';
import type { Command, CommandResult } from '../terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { wrapLine } from '#shared/text/terminal-writer.ts';
import { didYouMean } from '#shared/text/did-you-mean.ts';
import { sendOperatorCommand, type UnstampedCommand } from '#operator/runs/fire-schedule.ts';
import { endOfSent } from './run-lines.ts';
import { refuseUnknownRun, runSubject } from '#operator/runs/run-ids.ts';
import { refuseUnsentStop } from '#operator/runs/runs-in-flight.ts';

const helpWidth = 80;
const overrideHelp = wrapLine(
  `  --override GUARD          start: do it though this guard says no (several with commas: ${guardNames.join(', ')}); needs a --reason`,
  helpWidth,
);

const help = `autopilot send start|stop|update RUN [options]

Sends one command about a campaign run and waits for its outcome. RUN is a
configured run, or the uuid of any run. A start is judged by the same guards as
every other; a stop passes them all. A stage that only observes sends none: it
refuses to stop what it started for real (exit code 1), else says what it would
have sent (5).

  --reason TEXT             why, for the record
  --name NAME               a name for the run (start, update)
  --preserve VALUE          preserve (update)
  --start-delay D           start: the gateway starts it this much later
  --stop-after D            start: plan its stop this long after it takes effect
  --valid-for D             start: skip it if it cannot be done within this time
                            (default 1h)
${overrideHelp.join('\n')}
  --timeout D               how long to wait for the outcome (default 60s)
  --no-wait                 send it and leave

Examples
  autopilot send start nightly --reason "CHG-1042"
  autopilot send start nightly --override blackout,gap --reason "INC-77: proof"
  autopilot send stop nightly
  autopilot send start 0197f3a0-5b1c-7d2e-8f30-112233445566 --stop-after 30m
  autopilot send update nightly --name "after the model change"`;

const actions = ['start', 'stop', 'update'] as const;
type Action = (typeof actions)[number];

/** Which options mean something for which action. */
const optionsOf: Readonly<Record<Action, readonly string[]>> = {
  start: ['name', 'start-delay', 'stop-after', 'valid-for', 'override'],
  stop: [],
  update: ['name', 'preserve'],
};

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [word, subject, ...more] = args.positionals;
  const action = actionOf(word);
  if (subject === undefined) throw new UsageError(`send ${action} needs a run: autopilot send ${action} RUN`);
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
  if (word === undefined) throw new UsageError('send needs an action and a run: autopilot send start|stop|update RUN');
  throw new UsageError(`send knows start, stop and update, not "${word}"${didYouMean(word, actions, ':')}`);
}

function wantedCommand(action: Action, subject: string, args: CommandArguments): UnstampedCommand {
  const given = ['name', 'preserve', 'start-delay', 'stop-after', 'valid-for', 'override'].filter(
    (name) => args.text(name) !== undefined,
  );
  const useless = given.find((name) => !optionsOf[action].includes(name));
  if (useless !== undefined) throw new UsageError(`--${useless} means nothing for ${action}`);
  if (action === 'update' && given.length === 0)
    throw new UsageError('update needs what to change: --name or --preserve');
  const duration = (name: string) => {
    const text = args.text(name);
    return text === undefined ? undefined : durationArgument(`--${name}`, text).iso;
  };
  return defined({
    action,
    ...runSubject(subject),
    reason: args.text('reason'),
    name: args.text('name'),
    preserve: args.text('preserve'),
    startDelay: duration('start-delay'),
    stopAfter: duration('stop-after'),
    validFor: duration('valid-for'),
    override: overrideOf(args),
  });
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
    name: { type: 'string' },
    preserve: { type: 'string' },
    'start-delay': { type: 'string' },
    'stop-after': { type: 'string' },
    'valid-for': { type: 'string' },
    override: { type: 'string' },
  },
  run,
};
