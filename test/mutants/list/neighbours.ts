import { without } from '../mutant.ts';

const target = ['test/integration/operator/target.test.ts'];
const cache = ['test/integration/neighbours/compile-cache.test.ts'];
const frontDoor = ['test/integration/local/aws/foreign-request.test.ts'];
const signature = ['test/unit/local/aws/signature.test.ts'];
const otherEnd = ['test/integration/neighbours/other-end.test.ts'];
const dataFolder = ['test/unit/local/stage/data-folder.test.ts'];
const tokens = ['test/faults/runtime/restart-token.test.ts'];

/** What keeps other users of the machine out. */
export const neighbourMutants = [
  ...without('shared/private-folder.mjs', cache, {
    'no code comes from a folder that others can write': ['uid === me && (mode & 0o077) === 0', 'uid === me'],
    'no code comes from a folder that others can replace': ['(folder) && isHeldByItsParents(folder)', '(folder)'],
  }),
  ...without('operator/target.ts', target, {
    'a listener proves that it wrote the folder': [
      'if (isSameText(await answerTo(challenge, stage), proofOf(key, stage.endpoint, challenge))) return key;',
      'if ((await answerTo(challenge, stage)) !== undefined) return key;',
    ],
    'a stage proves itself before each request': [', expiration: new Date(0) }),', ', expiration: new Date(8e15) }),'],
    'the key comes from a folder that is the user’s alone':
      '    if (!isPrivateFolder(folder)) throw otherUsers(folder);\n',
  }),
  ...without('shared/net/loopback.ts', target, {
    'a proof is of no use at another address': ['${endpoint}\\n${challenge}', '${endpoint.slice(0, 4)}\\n${challenge}'],
  }),
  ...without('local/aws/wire/serve.ts', frontDoor, {
    'a request to the front door is signed': [
      'const claim = await requireSigned(request, body, { secretOf, times });',
      "const claim = { service: 'sqs', accessKeyId: 'DEVELOPER' };",
    ],
  }),
  ...without('local/aws/wire/signature.ts', signature, {
    'a signature is that of the key': ['undefined || !isSameText(signature, wanted)', 'undefined'],
    'a signature is that of the body': '  requireDigest(received, body);\n',
    'what AWS reads of the headers is signed': ' || !coversHeaders(received, claim)',
    'a signature is good for 15 minutes': ['<= longestSkewMs)) throw tooOld();', '>= 0)) throw tooOld();'],
  }),
  ...without('shared/net/loopback.ts', signature, {
    'each name has a secret of its own': ['the secret of ${accessKeyId}', 'the secret of ${accessKeyId.slice(0, 7)}'],
  }),
  ...without('shared/net/connection-owner.ts', otherEnd, {
    'a caller that has gone is no caller': 'row.inode !== 0 && ',
  }),
  ...without('local/stage/data-folder.ts', dataFolder, {
    'a key that others can know is replaced': ['(stats.mode & 0o077) === 0);', '(stats.mode & 0o777) > 0);'],
    'a folder has one run, from the first moment on': ['return takeLock(join(dataDir, lockName));', 'return () => {};'],
    'the state is never put into a folder of another user': ['(!isPrivateFolder(dataDir))', '(!existsSync(dataDir))'],
  }),
  ...without('cli/terminal/output.ts', ['test/unit/cli/reports/evidence.test.ts'], {
    'a document of --out is its owner’s alone': '      await handle.chmod(0o600);\n',
  }),
  ...without('local/stage/local-routes.ts', ['test/integration/neighbours/local-routes.test.ts'], {
    'the clock is moved with the key of the stage only': [
      'await requireSigned(context.env.incoming,',
      'void requireSigned.bind(undefined, context.env.incoming,',
    ],
  }),
  ...without('gateway/store/database.ts', ['test/integration/gateway/start.long.test.ts'], {
    'a file of the embedded gateway has one gateway': "    lock.exec('BEGIN EXCLUSIVE');\n",
  }),
  ...without('local/stage/local-gateway.ts', tokens, {
    'a restart keeps the newer token': [' === given && createdAt <= current.', ' !== given && createdAt > current.'],
  }),
];

const everyCharacter = ['test/faults/output/every-character.test.ts'];
const redactor = ['test/unit/shared/text/redact.test.ts'];

/**
 * What keeps a key, a file name or an answer from driving a terminal, a document or a log line, and
 * a token from being seen in one.
 */
export const writtenByOthersMutants = [
  ...without('shared/text/terminal-writer.ts', everyCharacter, {
    'a line of the command or of npm start is encoded where it leaves': 'index % 2 === 0 ? visibleText(part) : ',
    'a text cannot pass codes of its own to a terminal': ['{begin}${mark}${text}${mark}${end}', '{begin}${text}${end}'],
  }),
  ...without('shared/text/visible-text.ts', ['test/unit/shared/text/visible-text.test.ts', ...everyCharacter], {
    'a bidi mark is encoded': [String.raw`[\p{Cc}\p{Cf}`, String.raw`[\p{Cc}`],
  }),
  ...without('functions/_handler/function-log.ts', everyCharacter, {
    'a line of the log holds nothing that JSON leaves as it is and a terminal obeys': [
      'writeLine(visibleText(line), ',
      'writeLine(line, ',
    ],
  }),
  ...without('local/lambda/function-pool.ts', everyCharacter, {
    'the log file of a local function has one line for each line': [
      'visibleText(`${new Date().toISOString()} ${line.requestId} ${line.text}`)',
      '`${new Date().toISOString()} ${line.requestId} ${line.text}`',
    ],
  }),
  ...without('operator/evidence/document/start-sections.ts', everyCharacter, {
    'a text cannot leave its cell of a table': ["'|': '&#124;'", String.raw`'|': '\\|'`],
    'an id in code cannot leave its cell of a table': ['/[`|]/.test(line)', '/`/.test(line)'],
  }),
  ...without('shared/text/command-line.ts', everyCharacter, {
    'a word to paste drives no terminal': ['if (visibleText(possible) === possible)', 'if (possible !== undefined)'],
    'a backslash before an encoded byte stays a backslash': [
      String.raw`possible.replaceAll(/['!\\]/g, bytesOf)`,
      `possible.replaceAll(/['!]/g, bytesOf)`,
    ],
  }),
  ...without('shared/text/redact.ts', redactor, {
    'a token is found although it was escaped': [
      "needle.split('').map(anyEscape).join('')",
      'needle.replaceAll(/[^]/g, (char) => `\\\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)',
    ],
    'a token is found in base64, wherever it begins': ['[0, 1, 2].map(', '[0].map('],
  }),
];
