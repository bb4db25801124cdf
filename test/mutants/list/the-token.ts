import type { Mutant } from '../mutant.ts';

const command = ['test/unit/cli/token/token.test.ts'];
const trial = ['test/unit/functions/answer-questions/token.test.ts'];

/** What keeps a bad token from taking the place of a good one, and any token from being seen. */
export const tokenMutants: readonly Mutant[] = [
  {
    name: 'a token that the gateway does not take is not promoted',
    file: 'operator/token/promote-token.ts',
    from: 'if (refusal === undefined) await versions.promote(versionId);',
    to: 'await versions.promote(versionId);',
    tests: command,
  },
  {
    name: 'a token that could not be tried is taken back',
    file: 'operator/token/promote-token.ts',
    from: 'await versions.withdraw(versionId);',
    to: '',
    tests: command,
  },
  {
    name: 'a label that is gone already fails no token set',
    file: 'operator/aws/token-versions.ts',
    from: 'if ((await holderOf(pending)) === versionId) throw error;',
    to: 'throw error;',
    tests: ['test/integration/operator/aws/token-versions.test.ts'],
  },
  {
    name: 'what no worker could read is never stored',
    file: 'cli/token/token.ts',
    from: 'const found = tokenInSecret(text);',
    to: 'const found = { token: text.trim() };',
    tests: command,
  },
  {
    name: 'a token on the command line is refused',
    file: 'shared/read-line.ts',
    from: 'if (spec.refusal !== undefined && !/[hH]elp|version/.test(code)) throw',
    to: 'if (spec.refusal === code) throw',
    tests: command,
  },
  {
    name: 'the folder that holds a real gateway’s token is hidden from git',
    file: 'local/stage/data-folder.ts',
    from: "if (!existsSync(ignoreFile)) writeFileSync(ignoreFile, '*\\n');",
    to: '',
    tests: ['test/unit/local/stage/data-folder.test.ts'],
  },
  {
    name: 'a token that no call could carry is refused at the start',
    file: 'local/stage/gateway-access.ts',
    from: '  refuseUnsendable(given);\n',
    to: '',
    tests: ['test/unit/local/stage/gateway-access.test.ts'],
  },
  {
    name: 'no program that a stage starts inherits the token of its gateway',
    file: 'local/stage/start-options.ts',
    from: '  Reflect.deleteProperty(env, tokenVariable);\n',
    to: '',
    tests: ['test/unit/local/stage/gateway-access.test.ts'],
  },
  {
    name: 'a token that is typed is not shown',
    file: 'cli/terminal/read-secret.ts',
    from: 'write: (_chunk, _encoding, done) => done()',
    to: 'write: (chunk, _encoding, done) => (stderr.write(chunk), done())',
    tests: ['test/unit/cli/terminal/read-secret.test.ts'],
  },
  {
    name: 'a trial ends if every further read would fail in the same way',
    file: 'functions/answer-questions/token.ts',
    from: 'reads.some(endsAll)',
    to: 'false',
    tests: trial,
  },
];
