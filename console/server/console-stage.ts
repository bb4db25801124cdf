import type { OperatorDeps } from '#operator/operator-deps.ts';
import { pacedAccess } from './paced-access.ts';

/** A stage as the console knows it. One that cannot be opened, such as a local run that has ended, is opened again with the next request. */
export interface ConsoleStage {
  /** In every path; no two stages of a console have the same. */
  readonly name: string;
  /** The words that lead a command of the CLI to the same stage. */
  readonly words: readonly string[];
  /**
   * For reading: what changes slowly is kept for a while.
   * @throws UnreachableError if there is no such stage on this machine
   */
  readonly deps: () => OperatorDeps;
  /** For deciding: everything is read when it is asked for. */
  readonly fresh: () => OperatorDeps;
}

/** A stage that a person named. */
export interface WantedStage {
  /** Their own word for it; empty if they named none. */
  readonly label: string;
  readonly words: readonly string[];
  readonly open: () => OperatorDeps;
}

/** Makes stages for a console. In the ledger, the operator acts by the console. */
export function consoleStages(wanted: readonly WantedStage[]): readonly ConsoleStage[] {
  const names = distinctNames(wanted.map(({ label }) => label || 'local'));
  return wanted.map(({ words, open }, index) => {
    let fresh: OperatorDeps | undefined;
    let deps: OperatorDeps | undefined;
    const openFresh = () => (fresh ??= asConsole(open()));
    return {
      name: names[index] ?? '',
      words,
      fresh: openFresh,
      deps: () => (deps ??= { ...openFresh(), stage: pacedAccess(openFresh().stage, openFresh()) }),
    };
  });
}

function asConsole(deps: OperatorDeps): OperatorDeps {
  return {
    ...deps,
    operator: `${deps.operator}, by the console`,
    // What is under way when the console ends is finished: the person reads its end in the ledger.
    interruption: () => new AbortController().signal,
    progress: () => {},
  };
}

/** A word that stands there twice gets a number. Pure. */
export function distinctNames(labels: readonly string[]): readonly string[] {
  return labels.map((label, index) => {
    const before = labels.slice(0, index).filter((other) => other === label).length;
    return before === 0 ? label : `${label}-${before + 1}`;
  });
}
