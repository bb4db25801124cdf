import type { Finding } from '#operator/finding.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import type { OutcomeReport } from '#operator/outcomes/outcome-report.ts';
import type { LineSpec } from '#shared/text/program-arguments.ts';
import type { CommandArguments } from './arguments.ts';
import type { Times, TextScreen } from './times.ts';
import type { WantedStage } from '#console/server/console-stage.ts';

/** What a command may touch beside its arguments. */
export interface CommandDeps extends OperatorDeps {
  /**
   * What a person types or pastes without its being shown, or all of standard input if that is no
   * terminal.
   */
  readonly readSecret: (prompt: string) => Promise<string>;
  /** Calls each time the person presses Enter, until the returned function is called. */
  readonly onEnter: (listener: () => void) => () => void;
  /**
   * As `OperatorDeps` says.
   * @param also - signals that do what Ctrl-C does: a service manager sends SIGTERM, a terminal that closes SIGHUP
   */
  readonly interruption: (...also: readonly ('SIGTERM' | 'SIGHUP')[]) => AbortSignal;
}

/** The person at the terminal, for all stages. */
export type Person = Pick<CommandDeps, 'interruption' | 'onEnter' | 'operator' | 'progress'>;

/** What a command found or did: one document for `--json`, the same in lines for people. */
export interface CommandResult {
  /** @default `done` */
  readonly exitCode?: ExitCode;
  /** Printed as it is by `--json`, with `exitCode` beside it; a list, of several stages, has it in each entry. */
  readonly data: object;
  /** The stage's time at which it was read. @default that of the rendering */
  readonly now?: Date;
  /** @param times - of several stages, each with its own time */
  readonly render: (screen: TextScreen, times: Times) => readonly string[];
  /** A result that goes on: what is shown after it. Absent if this one is the last. */
  readonly goesOn?: {
    /** The next one takes the place of this one. */
    readonly isRedrawn: boolean;
    readonly next: () => Promise<CommandResult>;
  };
}

/** One command of the operator. */
export interface Command {
  /** What it takes, beside the options of every command. */
  readonly line: LineSpec;
  /** @throws OperatorError for what the person can put right */
  readonly run: (args: CommandArguments, deps: CommandDeps) => Promise<CommandResult>;
  /** Looks at several stages at once. Absent from a command that works with one, as each does that acts. */
  readonly runSeveral?: (
    args: CommandArguments,
    stages: readonly SeveralStage[],
    person: Person,
  ) => Promise<CommandResult>;
}

/** A command that looks at no stage, so none has to run. */
export interface CommandWithoutStage extends Pick<Command, 'line'> {
  readonly needsNoStage: true;
  readonly runSeveral?: undefined;
  /** @throws OperatorError for what the person can put right */
  readonly run: (args: CommandArguments) => Promise<CommandResult>;
}

/** A command by its word: what it does in a line, and its module, loaded when it is asked for. */
export interface ListedCommand {
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command | CommandWithoutStage }>;
}

/** One of several stages that a command line names. */
export interface SeveralStage extends WantedStage {
  /** @throws UnreachableError if there is no such stage on this machine */
  readonly open: () => CommandDeps;
}

/** What a script learns from how the command ends; `--help` lists the same. */
export const exitCodes = {
  /** Done, applied, or there already. */
  done: 0,
  /** An error that none of the others names. */
  failed: 1,
  /** The command line is wrong; nothing was done. */
  usage: 2,
  /** Nothing answers, or the stage, its credentials or a grant are missing. */
  unreachable: 3,
  /** It needs a person. */
  parked: 4,
  /** Passed over on purpose: skipped by a guard, superseded, ignored. */
  passedOver: 5,
  /** It has no outcome within --timeout. */
  timedOut: 6,
} as const;

/** One of the codes above. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const gravity: readonly ExitCode[] = [
  exitCodes.failed,
  exitCodes.unreachable,
  exitCodes.usage,
  exitCodes.parked,
  exitCodes.timedOut,
  exitCodes.passedOver,
];

/** The gravest of several. */
export function gravestExit(codes: readonly ExitCode[]): ExitCode {
  return gravity.find((code) => codes.includes(code)) ?? exitCodes.done;
}

/** The code of a failure, by the failure's own code. */
export function exitOfFailure({ code }: { readonly code: string }): ExitCode {
  if (code === 'USAGE') return exitCodes.usage;
  return code === 'UNREACHABLE' || code === 'STAGE_NOT_FOUND' ? exitCodes.unreachable : exitCodes.failed;
}

/** The code of an outcome; none recorded yet means that waiting timed out. */
export function exitOfReport({ outcome }: Pick<OutcomeReport, 'outcome'>): ExitCode {
  switch (outcome) {
    case 'applied':
    case 'sent':
      return exitCodes.done;
    case 'parked':
      return exitCodes.parked;
    case 'waiting':
      return exitCodes.timedOut;
    default:
      return exitCodes.passedOver;
  }
}

/** Whether a person is needed. */
export function exitOfFindings(findings: readonly Finding[]): ExitCode {
  return findings.some(({ state }) => state === 'problem') ? exitCodes.parked : exitCodes.done;
}
