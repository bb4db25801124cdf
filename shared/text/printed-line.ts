/** Command lines that a program prints into its own terminal, to be pasted there. */
import { callersFolder } from '../places.ts';
import { commandLine, npxWords } from './command-line.ts';

/** Writes the words of a command; if the program works in another folder than its caller (`-C`), the line leads there. */
export function printedLine(words: readonly string[], folder: string = process.cwd()): string {
  return commandLine(npxWords([...(folder === callersFolder ? [] : ['-C', folder]), ...words]));
}
