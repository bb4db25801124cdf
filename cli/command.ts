import type { CommandArguments, OptionsConfig } from './arguments.ts';
import type { CommandDeps } from './deps.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Paint } from './output.ts';

/** What a command found or did: one document for `--json`, the same told in lines for people. */
export interface CommandResult {
  readonly exitCode: ExitCode;
  /** Printed as it is by `--json`, with `exitCode` beside it. */
  readonly data: object;
  readonly render: (paint: Paint) => readonly string[];
}

/** One command of the operator. */
export interface Command {
  /** The whole text of `autopilot COMMAND --help`, examples included. */
  readonly help: string;
  /** Beside the options that every command takes. */
  readonly options: OptionsConfig;
  /** @throws CliError for what the person can put right */
  readonly run: (args: CommandArguments, deps: CommandDeps) => Promise<CommandResult>;
}
