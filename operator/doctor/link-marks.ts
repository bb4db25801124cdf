/** The marks of `doctor --deep` and `--notice`: how they are sent, and how long they are waited for. */
import { createHash } from 'node:crypto';
import { toError } from '#shared/errors/app-error.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { LinkTestRow } from '#shared/ledger/rows/stage-rows.ts';
import { keyOfLinkTest, type LinkTest, linkTestName, messageOfLinkTest } from '#shared/messages/link-test.ts';
import type { StageOutputs } from '#shared/vocabulary/stack-outputs.ts';
import type { StageLinks } from '../aws/stage-links.ts';
import { isDenied } from '../failures.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';

/** What a test can send, in the order of sending. The schedule is first: who may not make it leaves nothing behind. */
export const marks = ['schedule', 'object', 'command', 'notice'] as const;

export type MarkName = (typeof marks)[number];

/** A mark that was sent, or could not be. Times are of `elapsedMs`. */
export interface SentMark {
  readonly mark: MarkName;
  readonly id: string;
  readonly sentMs: number;
  /** Why it could not be sent. */
  readonly error?: Error;
  /** Of the object. */
  readonly versionId?: string;
  /** When its row was seen. */
  readonly arrivedMs?: number;
}

/** One test: what it works on, and the name that makes its ids its own. */
export interface LinkTestRun {
  readonly deps: OperatorDeps;
  readonly links: StageLinks;
  readonly outputs: StageOutputs;
  readonly name: string;
  readonly limits: TestLimits;
}

/** How long a test waits, in milliseconds. */
export interface TestLimits {
  /** What the schedule is ahead of now. */
  readonly leadMs: number;
  /** From sending a mark to its row. */
  readonly arriveMs: number;
  readonly pollMs: number;
}

const deployedLimits: TestLimits = {
  leadMs: 60_000, // at(…) of a past time never fires; a minute is enough for a slow CreateSchedule
  arriveMs: 150_000, // Scheduler fires within 60 s of its time, and a function in a VPC may start cold
  pollMs: 2000,
};

/** The limits of a stage. */
export function testLimits({ kind }: OperatorDeps['target']): TestLimits {
  return kind === 'aws' ? deployedLimits : { ...deployedLimits, pollMs: 500 };
}

export async function beginTest(deps: OperatorDeps, limits: TestLimits): Promise<LinkTestRun> {
  const [links, outputs] = await Promise.all([deps.stage.links(), deps.stage.outputs()]);
  return { deps, links, outputs, name: `${linkTestName}${deps.unique()}`, limits };
}

/** The id of a mark, a UUID made of the name of its test. */
export function idOfMark({ name }: Pick<LinkTestRun, 'name'>, link: LinkTest['link']): string {
  const hex = createHash('sha256').update(`${name} ${link}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Sends marks. @throws if this person may not make a schedule; a mark that fails otherwise has its error */
export async function sendMarks(names: readonly MarkName[], run: LinkTestRun): Promise<readonly SentMark[]> {
  const sent: SentMark[] = [];
  for (const mark of marks.filter((name) => names.includes(name))) {
    const id = idOfMark(run, mark);
    try {
      const put = await send[mark](id, run);
      sent.push({ mark, id, sentMs: run.deps.elapsedMs(), ...put });
    } catch (error) {
      if (mark === 'schedule' && isDenied(error)) throw error;
      sent.push({ mark, id, sentMs: run.deps.elapsedMs(), error: toError(error) });
    }
  }
  return sent;
}

type Send = (id: string, run: LinkTestRun) => Promise<Pick<SentMark, 'versionId'> | void>;

const send: Readonly<Record<MarkName, Send>> = {
  async schedule(id, { deps, links, outputs, name, limits }) {
    const [queueArn, now] = await Promise.all([links.queueArn(outputs.CommandsQueueUrl), deps.now()]);
    const at = new Date(now.getTime() + limits.leadMs);
    await links.sendOnce({ name, at, queueArn, input: messageOfLinkTest({ id, link: 'schedule' }) });
  },
  async object(id, { deps, outputs }) {
    const object = { bucket: outputs.BucketName, key: keyOfLinkTest(id), body: new Uint8Array(), metadata: {} };
    return deps.stage.upload({ ...object, contentType: 'application/octet-stream' });
  },
  command: async (id, { deps }) => deps.stage.send('commands', messageOfLinkTest({ id, link: 'command' })),
  notice: async (id, { deps }) => deps.stage.send('commands', messageOfLinkTest({ id, link: 'notice' })),
};

/** Whether a mark is still waited for. Pure. */
export function isAwaited(
  { mark, sentMs, error, arrivedMs }: SentMark,
  nowMs: number,
  { leadMs, arriveMs }: TestLimits,
): boolean {
  if (error !== undefined || arrivedMs !== undefined) return false;
  return nowMs - sentMs < arriveMs + (mark === 'schedule' ? leadMs : 0);
}

/** Waits until each mark has its row, or its time has passed, or the person leaves. */
export async function waitForMarks(sent: readonly SentMark[], run: LinkTestRun): Promise<readonly SentMark[]> {
  const { deps, limits } = run;
  const [interruption, ledger] = [deps.interruption(), await deps.stage.ledger()];
  const look = async (one: SentMark): Promise<SentMark> => {
    if (!isAwaited(one, deps.elapsedMs(), limits)) return one;
    const row = await ledger.read<LinkTestRow>(ledgerKeys.linkTest(one.id));
    return row === undefined ? one : { ...one, arrivedMs: deps.elapsedMs() };
  };
  let [seen, before] = [sent, ''];
  for (;;) {
    seen = await Promise.all(seen.map(look));
    const awaited = seen.filter((one) => isAwaited(one, deps.elapsedMs(), limits));
    if (awaited.length === 0 || interruption.aborted) return seen;
    const line = `waiting for: ${awaited.map(({ mark }) => mark).join(', ')}`;
    if (line !== before) deps.progress(line);
    before = line;
    await deps.wait(limits.pollMs);
  }
}
