import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type AccessKey, isSameText } from '#shared/net/request-signature.ts';
import { keyFileName, keyIn, newChallenge, proofOf, proofPath } from '#shared/net/loopback.ts';
import { isPrivateFolder } from '#shared/private-folder.mjs';
import { UnreachableError } from '../errors.ts';

/** A stage on this machine: where it listens, and the folder that it wrote. */
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
    `what listens at ${stage.endpoint} is not the stage with its state in ${stage.folder}, so nothing was sent: end it, or name the folder of its stage with --data`,
  );
}

function readKey(folder: string): AccessKey {
  const path = join(folder, keyFileName);
  try {
    if (!isPrivateFolder(folder)) throw otherUsers(folder);
    const key = keyIn(readFileSync(path, 'utf8'));
    if (key === undefined) throw new UnreachableError(`${path} is damaged: delete it, and start the stage again`);
    return key;
  } catch (error) {
    if (error instanceof UnreachableError) throw error;
    throw new UnreachableError(
      `no stage on this machine has its state in ${folder}: start it with \`autopilot start\`, or name a deployed stage with --aws --stage prod`,
      error,
    );
  }
}

function otherUsers(folder: string): UnreachableError {
  return new UnreachableError(
    `${folder} is a link, or other users can open it, so it does not show whose stage it is: it belongs to you alone, with mode 700, in ${dirname(folder)}`,
  );
}

/** Another program answers whatever it likes, which is no proof. */
async function answerTo(challenge: string, { endpoint }: LocalStage): Promise<string> {
  const signal = AbortSignal.timeout(longestAnswerMs);
  const answer = await fetch(`${endpoint}${proofPath}?challenge=${challenge}`, { signal, redirect: 'error' });
  return (await answer.text()).trim();
}
