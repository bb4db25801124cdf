import type { LineSpec } from '#shared/text/program-arguments.ts';
import { stageSwitch, type Switched, type SwitchSubject } from '#shared/ledger/switches.ts';
import { type Command, type CommandDeps, type CommandResult, exitCodes } from '../terminal/command.ts';
import { type CommandArguments, durationArgument, reasonOption, requiredReason } from '../terminal/arguments.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import { timeToCome } from '../terminal/typed-times.ts';
import { ringsOnSince } from '#operator/switches/alarm-holds.ts';
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
import type { TextScreen } from '../terminal/times.ts';

const endingOptions: LineSpec['options'] = {
  ...reasonOption,
  '--for <D>': { says: 'it ends automatically after this long (3d, 90m)', conflicts: ['until'] },
  '--until <TIME>': 'it ends automatically then: 06:00 or 2026-11-27T03:00',
};

async function untilOf(args: CommandArguments, deps: CommandDeps): Promise<Date | undefined> {
  const [lasts, until] = [args.text('for'), args.text('until')];
  if (lasts !== undefined)
    return new Date((await deps.now()).getTime() + durationArgument('--for', lasts).milliseconds);
  return until === undefined ? undefined : timeToCome('--until', until, await stageClock(deps));
}

/** A ticket is a reason; any other word names what is to be paused. */
function meantByFreeze(word: string, args: CommandArguments): ReturnType<NonNullable<LineSpec['meant']>> {
  const reason = args.text('reason');
  if (reason === undefined && !/^[\w.-]*[a-z][\w.-]*$/.test(word))
    return { command: ['autopilot', 'freeze', '--reason', word] };
  const command = ['autopilot', 'pause', word, '--reason', reason ?? 'TEXT'];
  return reason === undefined ? { command, says: `. To pause it, with your reason in the place of TEXT` } : { command };
}

export const freeze: Command = {
  line: {
    says: 'Skips every start of the stage from now on (FROZEN), until autopilot thaw or its end.',
    more: 'It needs no deployment, and holds for starts that are on their way. Runs in flight go on, and their stops are sent: autopilot stop --all-in-flight ends them as well. One campaign or schedule alone: autopilot pause.',
    meant: meantByFreeze,
    options: endingOptions,
    examples: [
      'autopilot freeze --reason "INC-77: the chatbot is down"',
      'autopilot freeze --reason CHG-1042 --aws --stage prod',
    ],
  },
  async run(args, deps) {
    const reason = requiredReason(args);
    return switched(stageSwitch, { isOn: true, reason, until: await untilOf(args, deps) }, deps);
  },
};

export const thaw: Command = {
  line: {
    says: 'Ends a freeze: starts are judged by the other guards again.',
    more: 'Those that were skipped stay skipped. autopilot history shows them; autopilot send start starts one now.',
    meant: (name) => ({ command: ['autopilot', 'resume', name] }),
    options: reasonOption,
    examples: ['autopilot thaw --reason "INC-77 has ended"'],
  },
  async run(args, deps) {
    return switched(stageSwitch, { isOn: false, reason: args.text('reason') }, deps);
  },
};

export const pause: Command = {
  line: {
    says: 'Skips the starts of a schedule, or of a campaign (PAUSED), until autopilot resume or its end.',
    more: 'It needs no deployment. Runs in flight go on, and stops are always sent. If a schedule and a campaign have the same name, say which is meant.',
    words: { '<NAME...>': 'a name, or schedule or campaign and its name' },
    options: endingOptions,
    examples: [
      'autopilot pause weeknights --reason "release week"',
      'autopilot pause campaign chat-bot --reason INC-77',
    ],
  },
  async run(args, deps) {
    const reason = requiredReason(args);
    const subject = await subjectToPause(args.positionals, reason, deps);
    return switched(subject, { isOn: true, reason, until: await untilOf(args, deps) }, deps);
  },
};

export const resume: Command = {
  line: {
    says: 'Ends a pause: starts are judged by the other guards again.',
    more: 'Those that were skipped in the meantime stay skipped.',
    words: { '<NAME...>': 'a name, or schedule or campaign and its name' },
    options: { ...reasonOption, '--although-it-rings': 'lift the hold of an alarm that rings, until it rings again' },
    examples: ['autopilot resume weeknights', 'autopilot resume campaign chat-bot --reason "INC-77 has ended"'],
  },
  async run(args, deps) {
    const subject = await subjectToResume(args.positionals, await deps.stage.ledger(), await deps.now());
    const isMeant = args.flag('although-it-rings');
    const reason = isMeant ? requiredReason(args) : args.text('reason');
    const ringsSince = await ringsOnSince(subject, { isMeant, reason }, deps);
    return switched(subject, { isOn: false, reason, ringsSince }, deps);
  },
};

async function switched(subject: SwitchSubject, wanted: WantedSwitch, deps: CommandDeps): Promise<CommandResult> {
  const { now, ...done } = await switchTo(subject, wanted, deps);
  const { isOn } = wanted;
  const report = done.row === undefined ? subject : toSwitchReport(done.row);
  // A person who gave an end must not go home before they read that it does not hold.
  const isEndLost = isOn && !done.isChanged && wanted.until !== undefined;
  return {
    exitCode: isEndLost ? exitCodes.failed : exitCodes.done,
    data: { ...report, isOn, isChanged: done.isChanged },
    now,
    render: (screen) => [
      ...switchLines(subject, done, isOn, screen),
      ...(isEndLost
        ? [
            screen.paint('red', '  Its end was not changed. First, then this command again:'),
            `    ${screen.line(liftingCommand(subject))}`,
          ]
        : []),
    ],
  };
}

function switchLines(
  subject: SwitchSubject,
  { before, row, isChanged }: Switched,
  isOn: boolean,
  { paint, line, at }: TextScreen,
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
    `${paint('green', word)}: starts are judged by the other guards again. Those that were skipped stay skipped`,
    ...(before === undefined ? [] : [`  it was switched ${saidBy(before, at)}`]),
  ];
}
