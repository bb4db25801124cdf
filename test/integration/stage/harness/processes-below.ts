/** The processes of a machine with Linux as its kernel shows them. A configuration file under test imports this too, in a process of its own. */
import { readdirSync, readFileSync } from 'node:fs';

/** A process, with the environment that it was started with. */
export interface ShownProcess {
  readonly pid: number;
  readonly command: string;
  readonly environment: string;
}

/** A process and all that it started, directly or through others. */
export function processesFrom(pid: number): readonly ShownProcess[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(Number(name))]),
  );
  const isBelow = (each: number): boolean => {
    const parent = parents.get(each);
    return each === pid || (parent !== undefined && isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow).flatMap(shown);
}

/** The fourth field of its state; the second, its name, may hold spaces and brackets. */
function parentOf(pid: number): number | undefined {
  const state = readIfThere(pid, 'stat');
  return state === undefined ? undefined : Number(state.slice(state.lastIndexOf(')') + 1).split(' ')[2]);
}

function shown(pid: number): readonly ShownProcess[] {
  const [command, environment] = [readIfThere(pid, 'cmdline'), readIfThere(pid, 'environ')];
  return command === undefined || environment === undefined ? [] : [{ pid, command, environment }];
}

/** A process may end at any moment. */
function readIfThere(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return undefined;
  }
}
