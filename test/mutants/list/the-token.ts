import { without } from '../mutant.ts';

const command = ['test/unit/cli/stage/token.test.ts'];
const trial = ['test/unit/functions/answer-questions/token.test.ts'];

/** What keeps a bad token from taking the place of a good one, and any token from being seen. */
export const tokenMutants = [
  ...without('operator/token/promote-token.ts', command, {
    'a token that the gateway does not take is not promoted': ['if (refusal === undefined) await', 'await'],
    'a token that could not be tried is taken back': 'await versions.withdraw(versionId);',
  }),
  ...without('operator/aws/token-versions.ts', ['test/integration/operator/aws/token-versions.test.ts'], {
    'a label that is gone already fails no token set': ['if ((await holderOf(pending)) === versionId) throw', 'throw'],
  }),
  ...without('cli/stage/token.ts', command, {
    'what no worker could read is never stored': ['found = tokenInSecret(text);', 'found = { token: text.trim() };'],
  }),
  ...without('shared/text/program-arguments.ts', command, {
    'a token on the command line is refused': [' !== undefined && !/[hH]elp|version/.test(code)', ' === code'],
  }),
  ...without('local/stage/data-folder.ts', ['test/unit/local/stage/data-folder.test.ts'], {
    'the folder that holds a real gateway’s token is hidden from git':
      "if (!existsSync(ignoreFile)) writeFileSync(ignoreFile, '*\\n');",
  }),
  ...without('local/stage/local-gateway.ts', ['test/unit/local/stage/local-gateway.test.ts'], {
    'a token that no call could carry is refused at the start': '  refuseUnsendable(given);\n',
  }),
  ...without('local/stage/start-options.ts', ['test/unit/local/stage/local-gateway.test.ts'], {
    'no program that a stage starts inherits the token of its gateway':
      '  Reflect.deleteProperty(env, tokenVariable);\n',
  }),
  ...without('cli/terminal/read-secret.ts', ['test/unit/cli/terminal/read-secret.test.ts'], {
    'a token that is typed is not shown': [
      'write: (_chunk, _encoding, done) => done()',
      'write: (chunk, _encoding, done) => (stderr.write(chunk), done())',
    ],
  }),
  ...without('functions/answer-questions/token.ts', trial, {
    'a trial ends if every further read would fail in the same way': ['reads.some(endsAll)', 'false'],
  }),
];
