import type { Mutant } from '../mutant.ts';

const attacks = ['test/integration/console/attacks.test.ts'];
const writes = ['test/integration/console/writes.test.ts'];
const hostileText = ['test/integration/console/hostile-text.test.ts'];
const limits = ['test/integration/console/limits.test.ts'];

/** What keeps other pages, other users and slips of a tab from a console that holds a person's credentials. */
export const consoleMutants: readonly Mutant[] = [
  {
    name: 'the console answers under its own two names alone',
    file: 'console/server/guard.ts',
    from: '!names.includes(host)',
    to: "host === ''",
    tests: attacks,
  },
  {
    name: 'a request with two hosts is refused',
    file: 'console/server/guard.ts',
    from: 'hosts.length !== 1',
    to: 'hosts.length === 0',
    tests: attacks,
  },
  {
    name: 'a page on another port asks in vain',
    file: 'console/server/guard.ts',
    from: 'origin === `http://${name}`',
    to: "origin.startsWith('http://127.0.0.1:')",
    tests: attacks,
  },
  {
    name: 'a page of another site leads nowhere, also without an origin',
    file: 'console/server/guard.ts',
    from: "site === 'same-origin' || (site === 'none' && isOpened)",
    to: "site !== ''",
    tests: attacks,
  },
  {
    name: 'every answer bears the policy that runs no text of others',
    file: 'console/server/guard.ts',
    from: '"trusted-types \'none\'",',
    to: '',
    tests: hostileText,
  },
  {
    name: 'a link opens one session',
    file: 'console/server/session.ts',
    from: `      current = undefined;
      const made = secret();`,
    to: '      const made = secret();',
    tests: attacks,
  },
  {
    name: 'a link that was not used expires',
    file: 'console/server/session.ts',
    from: 'elapsedMs() - current.madeAtMs > tokenForMs',
    to: 'elapsedMs() < current.madeAtMs',
    tests: attacks,
  },
  {
    name: 'every answer needs a session',
    file: 'console/server/session.ts',
    from: 'if (isSameText(given, known)) found = session;',
    to: 'found = session;',
    tests: attacks,
  },
  {
    name: 'a write route exists only if a person allowed it',
    file: 'console/routes/writes.ts',
    from: 'of new Set(allow))',
    to: "of new Set<WriteKind>([...allow, 'upload', 'resolve', 'switch']))",
    tests: writes,
  },
  {
    name: 'a deployed stage changes only after its name was typed',
    file: 'console/routes/writes.ts',
    from: 'if (typed !== stage) {',
    to: "if (typed === 'local') {",
    tests: writes,
  },
  {
    name: 'the name of one stage opens no other',
    file: 'console/routes/writes.ts',
    from: 'session.confirmed.has(served.name)',
    to: 'session.confirmed.size > 0',
    tests: writes,
  },
  {
    name: 'what changed after its dry run is not resolved',
    file: 'console/routes/writes.ts',
    from: ' || row.version !== rows[index]?.version)',
    to: ')',
    tests: writes,
  },
  {
    name: 'a file of any size does not fill the memory',
    file: 'console/routes/history.ts',
    from: 'if (size > maxBytes)',
    to: 'if (maxBytes < 0)',
    tests: limits,
  },
];
