/** Says a problem once, until it changes or is over: a missing grant would otherwise fill the screen. */

/** What is said about one thing that can go wrong in several ways. */
export interface SaidOnce {
  readonly problem: (what: string, error: unknown) => void;
  /** It works; said only after a problem. */
  readonly fine: (what: string) => void;
}

/** Starts with nothing said. */
export function sayOnce(subject: string, log: (line: string) => void): SaidOnce {
  const said = new Map<string, string>();
  return {
    problem(what, error) {
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      if (said.get(what) === text) return;
      said.set(what, text);
      log(`${subject}, ${what}: ${text}`);
    },
    fine(what) {
      if (said.delete(what)) log(`${subject}, ${what}: works again.`);
    },
  };
}
