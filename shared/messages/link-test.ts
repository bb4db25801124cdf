/**
 * The mark that `autopilot doctor --deep` sends through a stage: it ends `ignored`, without a call
 * of the gateway. A message with one more field is no mark, and an object with one byte is none, so
 * nothing can hide behind it.
 */
import * as z from 'zod';
import { datasetsPrefix } from '../vocabulary/resource-names.ts';

/** What a mark was sent as. `notice`: a command that people get a message of. `invocation`: the doctor called the function. */
export const testedLinks = ['object', 'command', 'schedule', 'notice', 'invocation'] as const;

/** One mark. */
export interface LinkTest {
  /** A UUID. */
  readonly id: string;
  readonly link: (typeof testedLinks)[number];
}

/** The name of a schedule that a test makes begins so. */
export const linkTestName = 'autopilot-doctor-';

/** Below this prefix an empty object whose name is a UUID is a mark. */
export const linkTestPrefix = `${datasetsPrefix}.link-test/`;

const uuid = z.uuid().lowercase();

const linkTestMessage = z.strictObject({ version: z.literal(1), linkTest: uuid, link: z.enum(testedLinks) });

/** The body of a mark for the commands queue. */
export function messageOfLinkTest({ id, link }: LinkTest): string {
  const message: z.infer<typeof linkTestMessage> = { version: 1, linkTest: id, link };
  return JSON.stringify(message);
}

/** Reads a mark of the commands queue; `undefined` for any other text. Total. */
export function linkTestInMessage(body: string): LinkTest | undefined {
  let input: unknown;
  try {
    input = JSON.parse(body);
  } catch {
    return undefined;
  }
  const parsed = linkTestMessage.safeParse(input);
  return parsed.success ? { id: parsed.data.linkTest, link: parsed.data.link } : undefined;
}

/** The key of a mark in the bucket. */
export function keyOfLinkTest(id: string): string {
  return `${linkTestPrefix}${id}`;
}

/** Reads a mark of the bucket; `undefined` for any other object. */
export function linkTestInObject(object: { readonly key: string; readonly sizeBytes: number }): LinkTest | undefined {
  if (object.sizeBytes !== 0 || !object.key.startsWith(linkTestPrefix)) return undefined;
  const id = uuid.safeParse(object.key.slice(linkTestPrefix.length));
  return id.success ? { id: id.data, link: 'object' } : undefined;
}
