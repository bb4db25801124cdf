import { commandLine } from './command-line.ts';

/** What to do next, as data: each surface writes the command with the words that lead it to its stage. */
export interface Step {
  /** One or two sentences, without the command. They name each word of it in capitals that a person replaces, such as `TEXT`. */
  readonly says: string;
  /** The words of a command line, its program first: `['autopilot', 'parked', 'list']`, `['aws', 'logs', 'tail', '/aws/…']`. */
  readonly command?: readonly string[];
}

/**
 * A step as a message has it that is read far from a terminal: no words of a stage.
 * @example stepText({ says: 'End the freeze.', command: ['autopilot', 'thaw'] }) // 'End the freeze: autopilot thaw'
 */
export function stepText({ says, command }: Step): string {
  if (command === undefined) return says;
  const joint = /\?\)?$/.test(says) ? '' : ':';
  return `${says.replace(/\.$/, '')}${joint} ${commandLine(command)}`;
}
