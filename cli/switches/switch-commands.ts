import { stageSwitch, type Switched, type SwitchSubject } from '#shared/ledger/switches.ts';
import { type Command, type CommandDeps, type CommandResult, exitCodes } from '../terminal/command.ts';
import type { FindingScreen } from '../terminal/findings.ts';
import { UsageError } from '#operator/errors.ts';
import { type CommandArguments, durationArgument } from '../terminal/arguments.ts';
import { clockOf, timeToCome } from '../terminal/typed-times.ts';
import { subjectToPause, subjectToResume } from '#operator/switches/pause-subject.ts';
import {
  heldBack,
  liftingCommand,
  saidBy,
  stateWords,
  toSwitchReport,
  switchTitle,
  switchTo,
  type WantedSwitch,
} from '#operator/switches/switches.ts';

const endingOptions = { reason: { type: 'string' }, for: { type: 'string' }, until: { type: 'string' } } as const;

/**
 * Reads `--for` and `--until`.
 * @throws UsageError for both, for no time, and for one that has passed
 */
async function untilOf(args: CommandArguments, deps: CommandDeps): Promise<Date | undefined> {
  const [lasts, until] = [args.text('for'), args.text('until')];
  if (lasts !== undefined && until !== undefined) throw new UsageError('--for and --until both say when it ends');
  if (lasts !== undefined)
    return new Date((await deps.now()).getTime() + durationArgument('--for', lasts).milliseconds);
  return until === undefined ? undefined : timeToCome('--until', until, await clockOf(args, deps));
}

/**
 * @param forOne - the words of the command for one campaign or schedule
 * @throws UsageError for a name
 */
function refuseName(
  verb: 'freeze' | 'thaw',
  { positionals: [word] }: CommandArguments,
  forOne: (name: string) => readonly string[],
): void {
  if (word === undefined) return;
  const refused = `${verb} takes no name: it is about the whole stage`;
  // What a person means by it, `verb` does.
  if (word === 'all') throw new UsageError(refused);
  throw new UsageError(`${refused}; one campaign or schedule`, { command: ['autopilot', ...forOne(word)] });
}

const freezeHelp = `autopilot freeze --reason TEXT [--for D | --until TIME]

Skips every start of the stage from this moment on, also those of people
(FROZEN), until autopilot thaw or its end. No deployment, and it holds for
starts that are on their way. Runs in flight go on, and their stops are sent:
autopilot stop --all-in-flight ends them as well. autopilot status shows it on
top while it lasts.

  --reason TEXT             why, for the record
  --for D                   it ends automatically after this long (3d, 90m)
  --until TIME              it ends automatically then: 06:00 for the next one,
                            or 2026-11-23T06:00, by the clock of the stage

Examples
  autopilot freeze --reason "INC-77: the chatbot is down"
  autopilot freeze --reason CHG-1042 --aws --stage prod`;

async function runFreeze(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  refuseName('freeze', args, (name) => ['pause', name, '--reason', 'TEXT']);
  const reason = args.text('reason');
  if (reason === undefined) throw new UsageError('freeze needs a --reason: it stays in the ledger');
  return switched(stageSwitch, { isOn: true, reason, until: await untilOf(args, deps) }, deps);
}

/** `autopilot freeze`. */
export const freeze: Command = { help: freezeHelp, options: endingOptions, run: runFreeze };

const thawHelp = `autopilot thaw [--reason TEXT]

Ends a freeze: starts are judged by the other guards again. Those that were
skipped meanwhile stay skipped; autopilot history shows which, and autopilot
send start starts one of them all the same.

  --reason TEXT             why, for the record

Examples
  autopilot thaw
  autopilot thaw --reason "INC-77 is over"`;

async function runThaw(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  refuseName('thaw', args, (name) => ['resume', name]);
  return switched(stageSwitch, { isOn: false, reason: args.text('reason') }, deps);
}

/** `autopilot thaw`. */
export const thaw: Command = { help: thawHelp, options: { reason: { type: 'string' } }, run: runThaw };

const pauseHelp = `autopilot pause [schedule|campaign] NAME --reason TEXT
                [--for D | --until TIME]

Skips the starts that a schedule asks for, or every start of a campaign, also
those of people (PAUSED), until autopilot resume or its end. No deployment. Runs
in flight go on, and stops are always sent. If a schedule and a campaign have
the same name, say which is meant.

  --reason TEXT             why, for the record
  --for D                   it ends automatically after this long (3d, 90m)
  --until TIME              it ends automatically then: 06:00 for the next one,
                            or 2026-11-23T06:00, by the clock of the stage

Examples
  autopilot pause weeknights --reason "release week"
  autopilot pause campaign chat-bot --reason INC-77`;

async function runPause(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const reason = args.text('reason');
  if (reason === undefined) throw new UsageError('pause needs a --reason: it stays in the ledger');
  return switched(
    await subjectToPause(args.positionals, deps),
    { isOn: true, reason, until: await untilOf(args, deps) },
    deps,
  );
}

/** `autopilot pause`. */
export const pause: Command = { help: pauseHelp, options: endingOptions, run: runPause };

const resumeHelp = `autopilot resume [schedule|campaign] NAME [--reason TEXT]

Ends a pause: starts are judged by the other guards again. Those that were
skipped meanwhile stay skipped.

  --reason TEXT             why, for the record

Examples
  autopilot resume weeknights
  autopilot resume campaign chat-bot --reason "INC-77 is over"`;

async function runResume(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const subject = await subjectToResume(args.positionals, await deps.stage.ledger(), await deps.now());
  return switched(subject, { isOn: false, reason: args.text('reason') }, deps);
}

/** `autopilot resume`. */
export const resume: Command = { help: resumeHelp, options: { reason: { type: 'string' } }, run: runResume };

async function switched(subject: SwitchSubject, wanted: WantedSwitch, deps: CommandDeps): Promise<CommandResult> {
  const { now, ...done } = await switchTo(subject, wanted, deps);
  const { isOn } = wanted;
  const report = done.row === undefined ? subject : toSwitchReport(done.row);
  // A person who gave an end must not go home before they read that it does not hold.
  const isEndLost = isOn && !done.isChanged && wanted.until !== undefined;
  return {
    exitCode: isEndLost ? exitCodes.failed : exitCodes.done,
    data: { ...report, isOn, isChanged: done.isChanged },
    render: (paint, times) => [
      ...switchLines(subject, done, isOn, { paint, ...times(now) }),
      ...(isEndLost
        ? [
            paint('red', '  Its end was not changed. First, then this command again:'),
            `    ${times(now).line(liftingCommand(subject))}`,
          ]
        : []),
    ],
  };
}

/** What was switched, or was already so. */
function switchLines(
  subject: SwitchSubject,
  { before, row, isChanged }: Switched,
  isOn: boolean,
  { paint, line, at }: FindingScreen,
): readonly string[] {
  if (isOn) {
    const head = `${paint('red', stateWords(subject))}${isChanged ? '' : ' already'}: ${heldBack(subject)}`;
    if (!isChanged) return [head, ...(row === undefined ? [] : [`  ${saidBy(row, at)}; left as it is`])];
    const end = row?.until === undefined ? 'It has no end' : `It ends automatically ${at(row.until)}`;
    return [head, `  ${end}. To end it now:`, `    ${line(liftingCommand(subject))}`];
  }
  const word = subject.scope === 'stage' ? 'thawed' : `resumed ${switchTitle(subject)}`;
  if (!isChanged)
    return [`${switchTitle(subject)} is not ${subject.scope === 'stage' ? 'frozen' : 'paused'}: left as it is`];
  return [
    `${paint('green', word)}: starts are judged by the other guards again; those that were skipped in the meantime stay skipped`,
    ...(before === undefined ? [] : [`  it was switched ${saidBy(before, at)}`]),
  ];
}
