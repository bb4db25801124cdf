import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccessKey } from './request-signature.ts';

/** Returns true if a host name, as URL gives it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Returns true if the text is an http(s) URL of this machine. */
export function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { hostname, protocol } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && isLoopback(hostname);
}

// The key of a stage on one machine is a file of its folder that only its owner can read. It has
// the form of AWS's shared credentials. A caller signs with it, and the stage proves that it wrote
// the folder.

/** The name of the file in the stage's folder. */
export const keyFileName = 'credentials';

/** The id is a name and no secret: the signature shows who has the secret. */
const developer = 'DEVELOPER';

/** Makes a key for a new folder. */
export function newKey(): AccessKey {
  return { accessKeyId: developer, secretAccessKey: randomBytes(32).toString('base64url') };
}

/**
 * The key of a person with one policy of the stage. It is made of the key of the folder; each id
 * has its own secret.
 */
export function keyNamed(accessKeyId: string, { secretAccessKey }: AccessKey): AccessKey {
  return { accessKeyId, secretAccessKey: hmac(secretAccessKey, `the secret of ${accessKeyId}`) };
}

/** The text of its file. */
export function textOfKey({ accessKeyId, secretAccessKey }: AccessKey): string {
  return `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
}

/** The key in the text of its file; `undefined` if there is none. */
export function keyIn(text: string): AccessKey | undefined {
  const of = (name: string) => new RegExp(`^${name} = (\\S+)$`, 'm').exec(text)?.[1];
  const [accessKeyId, secretAccessKey] = [of('aws_access_key_id'), of('aws_secret_access_key')];
  return accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey };
}

/** The path at which a stage answers a challenge: `GET /_local/proof?challenge=…`. */
export const proofPath = '/_local/proof';

/** A fresh challenge: a proof of an earlier one is of no use. */
export function newChallenge(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Proves that the key is known here. It names the address: passed on from another port, it proves
 * nothing.
 */
export function proofOf({ secretAccessKey }: AccessKey, endpoint: string, challenge: string): string {
  return hmac(secretAccessKey, `this stage is at ${endpoint}\n${challenge}`);
}

function hmac(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}

/** Compares a signature or a proof in a time that says nothing about it. */
export function isSameText(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}
