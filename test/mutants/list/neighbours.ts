import type { Mutant } from '../mutant.ts';

const target = ['test/integration/operator/target.test.ts'];
const cache = ['test/integration/neighbours/compile-cache.test.ts'];
const frontDoor = ['test/integration/local/aws/foreign-request.test.ts'];
const signature = ['test/unit/local/aws/signature.test.ts'];
const otherEnd = ['test/integration/neighbours/other-end.test.ts'];
const dataFolder = ['test/unit/local/stage/data-folder.test.ts'];
const tokens = ['test/faults/runtime/restart-token.test.ts'];

/** What keeps other users of the machine out. */
export const neighbourMutants: readonly Mutant[] = [
  {
    name: 'no code comes from a folder that others can write',
    file: 'shared/private-folder.mjs',
    from: 'uid === me && (mode & 0o077) === 0',
    to: 'uid === me',
    tests: cache,
  },
  {
    name: 'no code comes from a folder that others can replace',
    file: 'shared/private-folder.mjs',
    from: 'isPrivateFolder(folder) && isHeldByItsParents(folder)',
    to: 'isPrivateFolder(folder)',
    tests: cache,
  },
  {
    name: 'a listener proves that it wrote the folder',
    file: 'operator/target.ts',
    from: 'if (isSameText(await answerTo(challenge, stage), proofOf(key, stage.endpoint, challenge))) return key;',
    to: 'if ((await answerTo(challenge, stage)) !== undefined) return key;',
    tests: target,
  },
  {
    name: 'a proof is of no use at another address',
    file: 'shared/net/loopback.ts',
    from: '`this stage is at ${endpoint}\\n${challenge}`',
    to: '`this stage is at ${endpoint.slice(0, 4)}\\n${challenge}`',
    tests: target,
  },
  {
    name: 'a stage proves itself before each request',
    file: 'operator/target.ts',
    from: ', expiration: new Date(0) }),',
    to: ', expiration: new Date(8e15) }),',
    tests: target,
  },
  {
    name: 'the key comes from a folder that is the user’s alone',
    file: 'operator/target.ts',
    from: '    if (!isPrivateFolder(folder)) throw otherUsers(folder);\n',
    to: '',
    tests: target,
  },
  {
    name: 'a request to the front door is signed',
    file: 'local/aws/wire/serve.ts',
    from: 'const claim = await requireSigned(request, whole.body, { secretOf, times });',
    to: "const claim = { service: 'sqs', accessKeyId: 'DEVELOPER' };",
    tests: frontDoor,
  },
  {
    name: 'a signature is that of the key',
    file: 'local/aws/wire/signature.ts',
    from: 'if (wanted === undefined || !isSameText(signature, wanted)) throw notSigned();',
    to: 'if (wanted === undefined) throw notSigned();',
    tests: signature,
  },
  {
    name: 'a signature is that of the body',
    file: 'local/aws/wire/signature.ts',
    from: '  requireDigest(received, body);\n',
    to: '',
    tests: signature,
  },
  {
    name: 'what AWS reads of the headers is signed',
    file: 'local/aws/wire/signature.ts',
    from: ' || !coversHeaders(received, claim)',
    to: '',
    tests: signature,
  },
  {
    name: 'a signature is good for 15 minutes',
    file: 'local/aws/wire/signature.ts',
    from: '<= longestSkewMs)) throw tooOld();',
    to: '>= 0)) throw tooOld();',
    tests: signature,
  },
  {
    name: 'each name has a secret of its own',
    file: 'shared/net/loopback.ts',
    from: '`the secret of ${accessKeyId}`',
    to: '`the secret of ${accessKeyId.slice(0, 7)}`',
    tests: signature,
  },
  {
    name: 'a caller that has gone is no caller',
    file: 'shared/net/connection-owner.ts',
    from: 'row.inode !== 0 && ',
    to: '',
    tests: otherEnd,
  },
  {
    name: 'a key that others can know is replaced',
    file: 'local/stage/data-folder.ts',
    from: '(stats.mode & 0o077) === 0);',
    to: '(stats.mode & 0o777) > 0);',
    tests: dataFolder,
  },
  {
    name: 'a document of --out is its owner’s alone',
    file: 'cli/terminal/output.ts',
    from: '      await handle.chmod(0o600);\n',
    to: '',
    tests: ['test/unit/cli/evidence/evidence.test.ts'],
  },
  {
    name: 'the clock is moved with the key of the stage only',
    file: 'local/stage/local-routes.ts',
    from: 'await requireSigned(request, Buffer.from(body), {',
    to: 'void requireSigned.bind(undefined, request, Buffer.from(body), {',
    tests: ['test/integration/neighbours/local-routes.test.ts'],
  },
  {
    name: 'a folder has one run, from the first moment on',
    file: 'local/stage/data-folder.ts',
    from: 'return takeLock(join(dataDir, lockName));',
    to: 'return () => {};',
    tests: dataFolder,
  },
  {
    name: 'a file of the embedded gateway has one gateway',
    file: 'gateway/store/database.ts',
    from: "    lock.exec('BEGIN EXCLUSIVE');\n",
    to: '',
    tests: ['test/integration/gateway/start.long.test.ts'],
  },
  {
    name: 'the state is never put into a folder of another user',
    file: 'local/stage/data-folder.ts',
    from: 'if (!isPrivateFolder(dataDir)) {',
    to: 'if (!existsSync(dataDir)) {',
    tests: dataFolder,
  },
  {
    name: 'a restart keeps the newer token',
    file: 'local/stage/gateway-access.ts',
    from: 'token === given && createdAt <= current.createdAt',
    to: 'token !== given && createdAt > current.createdAt',
    tests: tokens,
  },
];

const everyCharacter = ['test/faults/output/every-character.test.ts'];
const redactor = ['test/unit/shared/text/redact.test.ts'];

/**
 * What keeps a key, a file name or an answer from driving a terminal, a document or a log line, and
 * a token from being seen in one.
 */
export const writtenByOthersMutants: readonly Mutant[] = [
  {
    name: 'a line of the command or of npm start is encoded where it leaves',
    file: 'shared/text/terminal-writer.ts',
    from: 'index % 2 === 0 ? visibleText(part) : part',
    to: 'part',
    tests: everyCharacter,
  },
  {
    name: 'a text cannot pass codes of its own to a terminal',
    file: 'shared/text/terminal-writer.ts',
    from: '`${mark}${begin}${mark}${text}${mark}${end}${mark}`',
    to: '`${mark}${begin}${text}${end}${mark}`',
    tests: everyCharacter,
  },
  {
    name: 'a bidi mark is encoded',
    file: 'shared/text/visible-text.ts',
    from: String.raw`[\p{Cc}\p{Cf}`,
    to: String.raw`[\p{Cc}`,
    tests: ['test/unit/shared/text/visible-text.test.ts', ...everyCharacter],
  },
  {
    name: 'a line of the log holds nothing that JSON leaves as it is and a terminal obeys',
    file: 'functions/_handler/output.ts',
    from: 'visibleText(JSON.stringify(line))',
    to: 'JSON.stringify(line)',
    tests: everyCharacter,
  },
  {
    name: 'the log file of a local function has one line for each line',
    file: 'local/lambda/function-pool.ts',
    from: 'visibleText(`${new Date().toISOString()} ${line.requestId} ${line.text}`)',
    to: '`${new Date().toISOString()} ${line.requestId} ${line.text}`',
    tests: everyCharacter,
  },
  {
    name: 'a text cannot leave its cell of a table',
    file: 'operator/evidence/document/start-sections.ts',
    from: "'|': '&#124;'",
    to: String.raw`'|': '\\|'`,
    tests: everyCharacter,
  },
  {
    name: 'an id in code cannot leave its cell of a table',
    file: 'operator/evidence/document/start-sections.ts',
    from: '/[`|]/.test(line)',
    to: '/`/.test(line)',
    tests: everyCharacter,
  },
  {
    name: 'a word to paste drives no terminal',
    file: 'shared/text/command-line.ts',
    from: 'if (visibleText(possible) === possible) return',
    to: 'if (possible !== undefined) return',
    tests: everyCharacter,
  },
  {
    name: 'a backslash before an encoded byte stays a backslash',
    file: 'shared/text/command-line.ts',
    from: String.raw`possible.replaceAll(/['!\\]/g, bytesOf)`,
    to: `possible.replaceAll(/['!]/g, bytesOf)`,
    tests: everyCharacter,
  },
  {
    name: 'a token is found although it was escaped',
    file: 'shared/text/redact.ts',
    from: "needle.split('').map(anyEscape).join('')",
    to: 'needle.replaceAll(/[^]/g, (char) => `\\\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)',
    tests: redactor,
  },
  {
    name: 'a token is found in base64, wherever it begins',
    file: 'shared/text/redact.ts',
    from: '[0, 1, 2].map(',
    to: '[0].map(',
    tests: redactor,
  },
];
