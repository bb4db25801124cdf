import type { Mutant } from '../mutant.ts';

const target = ['test/integration/operator/target.test.ts'];
const cache = ['test/integration/neighbours/compile-cache.test.ts'];
const frontDoor = ['test/integration/local/aws/foreign-request.test.ts'];
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
    file: 'operator/stage/proven-stage.ts',
    from: 'if (isSameText(await answerTo(challenge, stage), proofOf(key, stage.endpoint, challenge))) return key;',
    to: 'if ((await answerTo(challenge, stage)) !== undefined) return key;',
    tests: target,
  },
  {
    name: 'a proof is of no use at another address',
    file: 'shared/net/stage-key.ts',
    from: '`this stage is at ${endpoint}\\n${challenge}`',
    to: '`this stage is at ${endpoint.slice(0, 4)}\\n${challenge}`',
    tests: target,
  },
  {
    name: 'a stage proves itself before each request',
    file: 'operator/stage/target.ts',
    from: ', expiration: new Date(0) }),',
    to: ', expiration: new Date(8e15) }),',
    tests: target,
  },
  {
    name: 'the key comes from a folder that is the user’s alone',
    file: 'operator/stage/proven-stage.ts',
    from: '    if (!isPrivateFolder(folder)) throw otherUsers(folder);\n',
    to: '',
    tests: target,
  },
  {
    name: 'a request to the front door is signed',
    file: 'local/aws/wire/serve.ts',
    from: '    requireSignature(request, addressed, surroundings.authority);\n',
    to: '',
    tests: frontDoor,
  },
  {
    name: 'a signature is that of the key',
    file: 'shared/net/request-signature.ts',
    from: 'return isSameText(claim.signature, signatureOf(request, claim, secret));',
    to: 'return claim.signature !== secret;',
    tests: frontDoor,
  },
  {
    name: 'the clock is moved with the key of the stage only',
    file: 'local/stage/local-routes.ts',
    from: 'if (!isSignedWith(key.secretAccessKey, { method, url, headers, body }))',
    to: 'if (headers.host === undefined)',
    tests: ['test/integration/neighbours/local-routes.test.ts'],
  },
  {
    name: 'a folder has one run, from the first moment on',
    file: 'local/stage/data-folder.ts',
    from: "    lock.exec('BEGIN EXCLUSIVE');\n",
    to: '',
    tests: dataFolder,
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
    file: 'local/stage/gateway-token.ts',
    from: 'token === given && createdAt <= current.createdAt',
    to: 'token !== given && createdAt > current.createdAt',
    tests: tokens,
  },
];
