import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent } from 'node:https';
import { basename, dirname, join } from 'node:path';
import type { ClientSettings } from '#shared/aws/client-settings.ts';
import { fileProblem } from '#shared/state-folder/disk-problem.ts';
import { isSameText, keyFileName, keyIn, keyNamed, newChallenge, proofOf, proofPath } from '#shared/net/loopback.ts';
import type { AccessKey } from '#shared/net/request-signature.ts';
import { stageAbove, startWords } from '#shared/state-folder/kept-start.ts';
import { stateFolderName } from '#shared/places.ts';
import { commandLine } from '#shared/text/command-line.ts';
import { isPrivateFolder } from '#shared/private-folder.mjs';
import { UnreachableError } from './errors.ts';

/** What an operator works with: a run on this machine, or a stage in AWS. */
export type Target =
  | (LocalStage & {
      readonly kind: 'local';
      readonly stage: string;
      readonly region: string;
      /** The one policy of the stage that the person has; absent: the developer, who may do everything. */
      readonly policy?: string;
    })
  | {
      readonly kind: 'aws';
      readonly stage: string;
      readonly profile?: string;
      readonly region?: string;
      /** `HTTPS_PROXY` and `NO_PROXY` of the person's environment, in either case, as the AWS CLI reads them. */
      readonly proxy?: ProxyVariables;
    };

/** Variables that name a proxy, and what goes past it. */
export type ProxyVariables = Readonly<Record<string, string | undefined>>;

/**
 * The words that lead another command to a target, from any folder and environment. A page is read
 * beside another shell than the one that serves it.
 */
export function wordsTo(target: Target): readonly string[] {
  const options: readonly (readonly [name: string, value: string | undefined])[] =
    target.kind === 'local'
      ? [
          ['data', target.folder],
          ['as', target.policy],
        ]
      : [
          ['stage', target.stage],
          ['region', target.region],
          ['profile', target.profile],
        ];
  const texts = options.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return target.kind === 'local' ? texts : ['--aws', ...texts];
}

/** As many connections as the SDK has without an agent of ours. */
const connections = { keepAlive: true, maxSockets: 50 };

/** All clients of stages on this machine: a process that opens many, one after another, keeps few connections. */
const localAgent = new HttpAgent(connections);

/**
 * The address and the identity of a target's AWS clients. For a local run the endpoint is given,
 * and the key is that of the stage's folder. So the clients cannot reach an account even by
 * mistake, with any profile, token or endpoint in the environment. The key expires at once, so the
 * stage proves itself before each request.
 */
export function clientSettings(target: Target): ClientSettings {
  if (target.kind === 'aws') {
    const { profile, region, proxy: proxyEnv } = target;
    if (proxyEnv === undefined) return { profile, region };
    return { profile, region, requestHandler: { httpsAgent: new Agent({ ...connections, proxyEnv }) } };
  }
  return {
    endpoint: target.endpoint,
    region: target.region,
    credentials: async () => ({ ...(await keyOf(target)), expiration: new Date(0) }),
    requestHandler: { httpAgent: localAgent },
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
  };
}

/** The local run knows who calls by the id (local/aws/iam/attached-policies.ts), and that the call comes from the owner of its folder by the signature. */
async function keyOf(target: Extract<Target, { kind: 'local' }>): Promise<AccessKey> {
  const key = await provenKey(target);
  return target.policy === undefined ? key : keyNamed(`POLICY-${target.policy}`, key);
}

/** A stage on this machine: its address, and the folder that it wrote. */
export interface LocalStage {
  readonly endpoint: string;
  readonly folder: string;
}

/** A listener that takes the connection and never answers does not hold a command for ever. */
const longestAnswerMs = 30_000;

/**
 * The key of a stage, once the listener has proved that it has the same. Another user may listen on the port of a stage that has ended, so this
 * comes before anything that is sent (ADR 38).
 * @throws UnreachableError if there is no such stage, its folder is another user's, or the listener is not the stage of that folder
 */
export async function provenKey(stage: LocalStage): Promise<AccessKey> {
  const key = readKey(stage.folder);
  const challenge = newChallenge();
  if (isSameText(await answerTo(challenge, stage), proofOf(key, stage.endpoint, challenge))) return key;
  throw new UnreachableError(
    `what listens at ${stage.endpoint} is not the stage with its state in ${stage.folder}, so nothing was sent. End it, or name the folder of its stage with --data`,
  );
}

function readKey(folder: string): AccessKey {
  const path = join(folder, keyFileName);
  try {
    if (!isPrivateFolder(folder)) throw otherUsers(folder);
    const problem = fileProblem(path, folder);
    if (problem !== undefined) throw new UnreachableError(problem);
    const key = keyIn(readFileSync(path, 'utf8'));
    if (key === undefined) throw new UnreachableError(`${path} is damaged: delete it, and start the stage again`);
    return key;
  } catch (error) {
    if (error instanceof UnreachableError) throw error;
    throw noStageIn(folder, error);
  }
}

/** A person may be in a subfolder of the stage. */
function noStageIn(folder: string, cause: unknown): UnreachableError {
  const above = basename(folder) === stateFolderName ? stageAbove(dirname(folder)) : undefined;
  const none = `no stage on this machine has its state in ${folder}`;
  if (above === undefined)
    return new UnreachableError(`${none}: name a deployed stage with --aws --stage prod, or start it`, {
      cause,
      command: ['autopilot', ...startWords(folder, process.cwd())],
    });
  const state = commandLine(['--data', join(above, stateFolderName)]);
  return new UnreachableError(
    `${none}, and the one of ${above} lies above: \`${commandLine(['cd', above])}\`, or name it with ${state}`,
    { cause },
  );
}

function otherUsers(folder: string): UnreachableError {
  return new UnreachableError(
    `${folder} is a link, or other users can open it: it does not show whose stage it is. It has to be yours alone, with mode 700, in ${dirname(folder)}`,
  );
}

/** Another program may answer anything, which is no proof. */
async function answerTo(challenge: string, { endpoint }: LocalStage): Promise<string> {
  const signal = AbortSignal.timeout(longestAnswerMs);
  const answer = await fetch(`${endpoint}${proofPath}?challenge=${challenge}`, { signal, redirect: 'error' });
  return (await answer.text()).trim();
}
