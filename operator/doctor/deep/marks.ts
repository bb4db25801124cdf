import * as z from 'zod';
import type { ObservedMessage } from '../../aws/queue-link.ts';
import type { LinkTestRow } from '#shared/ledger/rows/stage-rows.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { keyOfLinkTest, messageOfLinkTest } from '#shared/messages/link-test.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { jsonIn } from '../../stage/ask-stage.ts';
import { idOfMark, type Observer, type TakeAway, type TestRun, tried } from './observer.ts';
/** The marks that a run sends. */
export const marks = ['object', 'command', 'schedule'] as const;

/** One of them. */
export type MarkName = (typeof marks)[number];

/** What became of sending a mark; instants are of `elapsedMs`. */
export type MarkSending = { readonly sentMs: number; readonly versionId?: string } | { readonly error: Error };

/** The marks as they were sent. */
export type SentMarks = Readonly<Record<MarkName, MarkSending>>;

/** Puts the object, makes the schedule and sends the command: the last when the observers surely hear. */
export async function sendMarks(run: TestRun, observer: Observer, made: TakeAway): Promise<SentMarks> {
  const { deps, limits } = run;
  const begunMs = deps.elapsedMs();
  const [object, schedule] = await Promise.all([
    sent(run, async () => putObject(run, made)),
    makeSchedule(run, observer, made),
  ]);
  await pause(limits.settleMs - (deps.elapsedMs() - begunMs), deps);
  const command = await sent(run, async () => {
    await deps.stage.send('commands', messageOfLinkTest({ id: idOfMark(run, 'command'), link: 'command' }));
  });
  return { object, schedule, command };
}

async function sent(
  run: TestRun,
  work: () => Promise<{ readonly versionId?: string } | undefined | void>,
): Promise<MarkSending> {
  const result = await tried(work);
  if ('error' in result) return result;
  return { sentMs: run.deps.elapsedMs(), versionId: result.value?.versionId };
}

async function putObject({ deps, links, outputs, ...run }: TestRun, made: TakeAway) {
  const key = keyOfLinkTest(idOfMark(run, 'object'));
  const object = { bucket: outputs.BucketName, key, body: new Uint8Array(), metadata: {} };
  const { versionId } = await deps.stage.upload({ ...object, contentType: 'application/octet-stream' });
  made.push({ what: `the object ${key}`, undo: async () => links.bucket.removeVersion(key, versionId ?? 'null') });
  return { versionId };
}

async function makeSchedule(run: TestRun, { queue }: Observer, made: TakeAway): Promise<MarkSending> {
  const { deps, links, name, limits, outputs, queues } = run;
  return sent(run, async () => {
    const now = await deps.now();
    made.push({ what: `the schedule ${name}`, undo: async () => links.schedules.remove(name) });
    await links.schedules.makeOnce({
      name,
      at: new Date(now.getTime() + limits.leadMs),
      roleArn: outputs.CommandSchedulesRoleArn,
      targetArn: queues.commands.arn,
      deadLetterArn: queue?.arn,
      input: messageOfLinkTest({ id: idOfMark(run, 'schedule'), link: 'schedule' }),
    });
  });
}

/** What has come back so far; instants are of `elapsedMs`. */
export interface Heard {
  /** Rows in the ledger. */
  readonly rows: MarkTimes;
  /** Events on the bus. */
  readonly events: MarkTimes;
  /** The message of the topic, which is about the command. */
  readonly topicMs?: number;
  /** What Scheduler could not deliver, with its reason. */
  readonly deadLetter?: string;
}

type MarkTimes = Partial<Readonly<Record<MarkName, number>>>;

/** Says what is still waited for at an instant. Pure. */
export function stillAwaited(
  {
    sentMarks,
    observer,
    limits,
  }: Pick<TestRun, 'limits'> & { readonly sentMarks: SentMarks; readonly observer: Observer },
  heard: Heard,
  nowMs: number,
): readonly string[] {
  const { queue, faults } = observer;
  const patience = { object: limits.arriveMs, command: limits.arriveMs, schedule: limits.leadMs + limits.arriveMs };
  const rows = marks.filter((mark) => {
    const one = sentMarks[mark];
    if ('error' in one || heard.rows[mark] !== undefined) return false;
    if (mark === 'schedule' && heard.deadLetter !== undefined) return false;
    return nowMs - one.sentMs < patience[mark];
  });
  const isRecent = (mark: MarkName) => nowMs - (heard.rows[mark] ?? -Infinity) < limits.noticeMs;
  const listens = (fault: Error | undefined) => queue !== undefined && fault === undefined;
  const events = listens(faults.bus) ? marks.filter((mark) => heard.events[mark] === undefined && isRecent(mark)) : [];
  const waitsForTopic = listens(faults.topic) && heard.topicMs === undefined && isRecent('command');
  return [...rows, ...events.map((mark) => `event of ${mark}`), ...(waitsForTopic ? ['message of the topic'] : [])];
}

/** Waits until everything has come back, or its time is over, or the person leaves. */
export async function waitForMarks(run: TestRun, sentMarks: SentMarks, observer: Observer): Promise<Heard> {
  const { deps, limits } = run;
  const interruption = deps.interruption();
  let heard: Heard = { rows: {}, events: {} };
  let before = '';
  for (;;) {
    heard = await look(run, heard, observer);
    const awaited = stillAwaited({ sentMarks, observer, limits }, heard, deps.elapsedMs());
    if (awaited.length === 0 || interruption.aborted) return heard;
    const line = `waiting for: ${awaited.join(', ')}`;
    if (line !== before) deps.progress(line);
    before = line;
    await deps.wait(limits.pollMs);
  }
}

async function look(run: TestRun, before: Heard, { queue }: Observer): Promise<Heard> {
  const { deps, links } = run;
  const ledger = await deps.stage.ledger();
  const [found, messages] = await Promise.all([
    Promise.all(marks.map(async (mark) => ledger.read<LinkTestRow>(ledgerKeys.linkTest(idOfMark(run, mark))))),
    queue === undefined ? [] : links.queues.take(queue.url),
  ]);
  const nowMs = deps.elapsedMs();
  const arrived = marks.filter((_mark, index) => found[index] !== undefined);
  const withRows = { ...before, rows: { ...timesOf(arrived, nowMs), ...before.rows } };
  return messages.reduce<Heard>((heard, message) => withMessage(heard, message, { run, nowMs }), withRows);
}

function timesOf(seen: readonly MarkName[], nowMs: number): MarkTimes {
  return Object.fromEntries(seen.map((mark) => [mark, nowMs]));
}

/** What a rule sends if it changes nothing; the topic's message is made of lines. */
const observedEvent = z.object({ 'detail-type': z.literal(eventTypes.linkTested) });

/** Reads what the observer took: an event of this run, the topic's message about it, or a dead letter of its schedule. Pure. */
export function withMessage(
  heard: Heard,
  { body, attributes }: ObservedMessage,
  { run, nowMs }: { readonly run: Pick<TestRun, 'name'>; readonly nowMs: number },
): Heard {
  const { ERROR_CODE: code, ERROR_MESSAGE: message } = attributes;
  if (code !== undefined || message !== undefined)
    return { ...heard, deadLetter: [code, message].filter(Boolean).join(': ') };
  const about = marks.filter((mark) => body.includes(idOfMark(run, mark)));
  if (about.length === 0) return heard;
  if (!observedEvent.safeParse(jsonIn(body)).success) return { ...heard, topicMs: heard.topicMs ?? nowMs };
  return { ...heard, events: { ...timesOf(about, nowMs), ...heard.events } };
}

async function pause(milliseconds: number, { wait, interruption }: TestRun['deps']): Promise<void> {
  const signal = interruption();
  const stepMs = 1000;
  for (let leftMs = milliseconds; leftMs > 0 && !signal.aborted; leftMs -= stepMs) await wait(Math.min(stepMs, leftMs));
}
