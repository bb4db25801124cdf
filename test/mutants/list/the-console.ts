import { without } from '../mutant.ts';

const attacks = ['test/integration/console/attacks.test.ts'];
const writes = ['test/integration/console/writes.test.ts'];
const hostileText = ['test/integration/console/hostile-text.test.ts'];
const everyText = ['test/integration/console/page/every-text.long.test.ts'];
const realPage = ['test/integration/console/page/real-page.long.test.ts'];
const writtenFiles = ['test/integration/console/written-files.long.test.ts'];
const limits = ['test/integration/console/limits.test.ts'];

/** What keeps other pages, other users and slips of a tab from a console that holds a person's credentials. */
export const consoleMutants = [
  ...without('console/server/guard.ts', attacks, {
    'the console answers under its own two names alone': ['!names.includes(host)', "host === ''"],
    'a request with two hosts is refused': ['hosts.length !== 1', 'hosts.length === 0'],
    'a page on another port asks in vain': ['origin === `http://${name}`', "origin.startsWith('http://127.0.0.1:')"],
    'a page of another site leads nowhere, also without an origin': [
      "site === 'same-origin' || (site === 'none' && isOpened)",
      "site !== ''",
    ],
  }),
  ...without('console/server/guard.ts', hostileText, {
    'every answer bears the policy that runs no text of others': '"trusted-types \'none\'",',
  }),
  ...without('console/server/session.ts', attacks, {
    'a link opens one session': [
      `      current = undefined;
      const made = secret();`,
      '      const made = secret();',
    ],
    'a link that was not used expires': ['() - current.madeAtMs > tokenForMs', '() < current.madeAtMs'],
    'a link that is shown twice ends its session': '        session.end();\n',
    'every answer needs a session': ['if (isSameText(given, known)) found = session;', 'found = session;'],
  }),
  ...without('console/routes/writes.ts', writes, {
    'a write route exists only if a person allowed it': ["if (allow.includes('resolve')) addResolving", 'addResolving'],
    'a file whose rule starts a run is sent only by a console that may start it':
      'if (!mayStart) await refuseStarting(key, stage);',
    'a deployed stage changes only after its name was typed': ['if (typed !== stage) {', "if (typed === 'local') {"],
    'the name of one stage opens no other': ['session.confirmed.has(served.name)', 'session.confirmed.size > 0'],
    'what changed after its dry run is not resolved': [' || row.version !== rows[index]?.version)', ')'],
    'a person says why a row is resolved': [
      "resolveBody, c.req.raw);\n    const because = neededText(body.because, 'because');",
      'resolveBody, c.req.raw);\n    const { because } = body;',
    ],
    'a person says why a switch changes': ["reason = neededText(body.because, 'because');", 'reason = body.because;'],
  }),
  ...without('console/server/served-stage.ts', limits, {
    'a file of any size does not fill the memory': ['if (size > maxBytes)', 'if (maxBytes < 0)'],
    'a JSON body of any size does not fill the memory': [
      'const maxJsonBytes = 1024 * 1024;',
      'const maxJsonBytes = 1024 * 1024 * 1024;',
    ],
  }),
  ...without('console/program/start-console.ts', attacks, {
    'a session is worth nothing once the console begins to end': 'sessions.end();',
    'the console listens on this machine alone': ["server.listen(port, '127.0.0.1')", 'server.listen(port)'],
  }),
  ...without('console/program/start-console.ts', limits, {
    'a connection that is silent is closed': ['server.setTimeout(idleMs)', 'server.setTimeout(0)'],
    'a request that does not end is closed': ['idleMs, headersTimeout: idleMs / 2', '0, headersTimeout: 0'],
  }),
  ...without('console/routes/stages.ts', limits, {
    'tabs do not hold any number of streams': ['const maxStreams = 8;', 'const maxStreams = 8_000;'],
    'a tab that leaves makes room for another': 'streams -= 1;',
  }),
  ...without('console/server/served-stage.ts', writes, {
    'a body that a form can send is no JSON': ['!/^application\\/json\\b/i.test(type)', "type === 'none'"],
  }),
  ...without('console/api-work.ts', writes, {
    'a resolution that names another operator is refused': ['resolveBody = z.strictObject', 'resolveBody = z.object'],
    'a switch that names another operator is refused': ['switchBody = z.strictObject', 'switchBody = z.object'],
  }),
  ...without('console/server/console-stage.ts', writes, {
    'the ledger says that a person acted by the console': ['`${deps.operator}, by the console`', 'deps.operator'],
  }),
  ...without('console/routes/stages.ts', hostileText, {
    'the stream stays on no disk': "response.headers.set('cache-control', 'no-store');",
  }),
  ...without('console/page/main.tsx', everyText, {
    'a text of the page hides and reorders nothing': 'node.props = visibleText(node.props);',
    'an attribute that is read hides and reorders nothing': ['[name] = visibleText(value);', '[name] = value;'],
  }),
  ...without('console/page/app.tsx', everyText, {
    'the title of the window hides and reorders nothing': ['document.title = visibleText(', 'document.title = String('],
  }),
  ...without('console/page/connection/ask.ts', everyText, {
    'a key of others is a part of a path, whatever it holds': '.map((part) => encodeURIComponent(part))',
  }),
  ...without('console/page/connection/route.ts', everyText, {
    'a key of others is a part of a link, whatever it holds': '.map((part) => encodeURIComponent(part))',
  }),
  ...without('console/page/connection/ask.ts', realPage, {
    'a tab forgets the session that its server does not know':
      'if (response.status === 401) closeSession(problem.message);',
  }),
  ...without('console/page/connection/session.ts', realPage, {
    'the token does not stay in the address': ["history.replaceState(null, '', location.pathname);", 'history.length;'],
    'the secret of a session is that of one tab': ['sessionStorage.setItem', 'localStorage.setItem'],
  }),
  ...without('console/report/report-document.ts', writtenFiles, {
    'a text of a report hides and reorders nothing': ['<td>${visibleText(cell)}</td>', '<td>${cell}</td>'],
  }),
  ...[
    ['no answer is loaded as a script of another page', "'x-content-type-options': 'nosniff',"],
    ['no answer stays on the disk of a browser', "'cache-control': 'no-store',"],
    ['no page that is left learns the address', "'referrer-policy': 'no-referrer',"],
    ['no other page holds the window of the console', "'cross-origin-opener-policy': 'same-origin',"],
    ['no other page embeds an answer', "'cross-origin-resource-policy': 'same-origin',"],
    ['no browser shows the console in a frame', "'x-frame-options': 'DENY',"],
  ].map(([name = '', from = '']) => ({ name, file: 'console/server/guard.ts', from, to: '', tests: hostileText })),
  ...[
    ['no script that got in makes markup', `"require-trusted-types-for 'script'",`, ''],
    ['no script that got in asks another server', `"connect-src 'self'"`, "'connect-src *'"],
    ['no script that got in loads a picture from another server', "'img-src data:'", "'img-src *'"],
    ['no script that got in loads a style from another server', `"style-src 'self'"`, "'style-src *'"],
    ['no script that got in sends a form to another server', `"form-action 'none'"`, "'form-action *'"],
  ].map(([name = '', from = '', to = '']) => ({ name, file: 'console/server/guard.ts', from, to, tests: realPage })),
];
