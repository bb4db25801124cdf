import { computed, signal } from '@preact/signals';
import type { NowAnswer, ProblemAnswer, StageRow, StagesAnswer } from '../../api.ts';
import { roughly } from '#operator/readable.ts';
import { ask, instantHere, openStream, type ShownProblem, problemFrom, withQuery } from './ask.ts';
import { endSession, session } from './session.ts';

/** What the page knows of one stage by the stream: the last facts, when they came, and whether the stream stands. */
export interface LiveView {
  readonly stage: string;
  readonly now?: NowAnswer;
  /** When the facts were read, by the browser's clock. */
  readonly readAt?: number;
  readonly state: 'connecting' | 'live' | 'lost' | 'hidden';
  readonly problem?: ShownProblem;
  /** By the browser's clock: when the page tries again. */
  readonly nextTryAt?: number;
}

export const live = signal<LiveView>({ stage: '', state: 'connecting' });

/** Changes if something happens at the stage; what only moves with time leaves it as it is. Empty until the stage is known. */
export const happened = computed(() => {
  const { now } = live.value;
  if (now === undefined) return '';
  const { switches, gate, inFlight, pending, parked, recent } = now;
  return JSON.stringify([switches, gate.state, inFlight, pending, parked.map(({ id, since }) => id + since), recent]);
});

/** The server sends a comment every 15 s: after three missing ones the stream is dead, though it was not closed. */
const silenceMs = 45_000;
const longestWaitMs = 30_000;

/** Facts older than this are marked, and a stream that gives none for this long is called unreadable: the ledger is read every 15 s. */
const staleMs = 40_000;

/** How old the facts are, in words; and whether a person may rely on them. Pure. */
export function freshnessOf(
  { readAt, state, problem, nextTryAt }: LiveView,
  instant: number,
): { readonly isStale: boolean; readonly age: string; readonly state: string; readonly why: string } {
  const ageMs = readAt === undefined ? undefined : Math.max(0, instant - readAt);
  const isStale = problem !== undefined || (ageMs !== undefined && ageMs > staleMs);
  const nextTry = state === 'lost' && nextTryAt !== undefined ? ` Next try in ${roughly(nextTryAt - instant)}.` : '';
  return {
    isStale,
    age: ageMs === undefined ? 'no answer yet' : `as of ${roughly(ageMs)} ago`,
    state: isStale ? 'Stale' : state === 'live' ? 'Live' : 'Reading',
    why: problem === undefined ? '' : `· ${problem.message}${nextTry}`,
  };
}

/** A try more waits twice as long, up to half a minute. */
export function retryDelayMs(failures: number): number {
  return Math.min(longestWaitMs, 1_000 * 2 ** Math.max(0, failures - 1));
}

/** Follows one stage until the signal ends it. */
export async function follow(stage: string, end: AbortSignal): Promise<void> {
  let failures = 0;
  while (!end.aborted && session.peek().kind === 'open') {
    const problem = await listen(stage, end, () => (failures = 0));
    if (end.aborted || session.peek().kind !== 'open') return;
    failures += 1;
    const delayMs = retryDelayMs(failures);
    live.value = { ...live.value, state: 'lost', problem, nextTryAt: Date.now() + delayMs };
    await pause(delayMs, end);
  }
}

/** Reads one stream to its end. Says why it ended. */
async function listen(stage: string, end: AbortSignal, heard: () => void): Promise<ShownProblem> {
  const silence = new AbortController();
  const signals = AbortSignal.any([end, silence.signal]);
  const bytes = expectWithin(silenceMs, () => silence.abort());
  const facts = expectWithin(staleMs, () => (live.value = { ...live.value, problem: unreadable() }));
  try {
    const response = await openStream(withQuery('/api/live', { stage }), { signal: signals });
    for await (const event of readEvents(response, bytes.came)) {
      heard();
      if (take(stage, event)) facts.came();
    }
    return { code: 'STREAM_ENDED', message: 'The console closed the stream.' };
  } catch (error) {
    if (silence.signal.aborted) return { code: 'SILENT', message: 'The console has been silent for 45 s.' };
    return problemFrom(error);
  } finally {
    bytes.end();
    facts.end();
  }
}

interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/**
 * Server-sent events as the console writes them; an `EventSource` can send no header. JSON holds no
 * line feed, but U+2028 as it is.
 * @param onBytes - called for comments too, which are the server's sign of life
 */
export async function* readEvents(response: Response, onBytes: () => void): AsyncGenerator<StreamEvent> {
  // `for await` over a body is not in every browser; a reader is.
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    onBytes();
    const blocks = (rest + read.value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const { name, data } = /^event: (?<name>.*?)\ndata: (?<data>.*)$/s.exec(block)?.groups ?? {};
      if (name !== undefined && data !== undefined) yield { name, data };
    }
  }
}

/** Calls `missed` once whenever nothing came for this long. */
function expectWithin(milliseconds: number, missed: () => void) {
  let timer = setTimeout(missed, milliseconds);
  const end = () => clearTimeout(timer);
  const came = () => {
    end();
    timer = setTimeout(missed, milliseconds);
  };
  return { came, end };
}

/** The stream stands, and nothing that comes is known: without this the page would say for ever that it reads. */
function unreadable(): ShownProblem {
  return {
    code: 'UNREADABLE',
    message: 'The stream of this stage cannot be read: it gave no facts for 40 s. Reload the page, or ask the command.',
    command: ['autopilot', 'status'],
  };
}

/** Takes an event over. @returns false if it tells nothing of the stage */
function take(stage: string, { name, data }: StreamEvent): boolean {
  if (name === 'gone') endSession();
  if (name === 'now') {
    const now = JSON.parse(data) as NowAnswer;
    live.value = { stage, now, readAt: instantHere(now.asOf), state: 'live' };
  }
  // The stream stands and the stage cannot be read: expired credentials, a missing permission.
  if (name === 'problem') {
    live.value = { ...live.value, state: 'live', problem: (JSON.parse(data) as ProblemAnswer).problem };
  }
  return name === 'now' || name === 'problem';
}

async function pause(delayMs: number, end: AbortSignal): Promise<void> {
  const over = AbortSignal.any([end, AbortSignal.timeout(delayMs)]);
  await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
}

/** All stages of this console, worst first: read at the start, and again while their screen is open. */
export const stageRows = signal<{ readonly rows?: readonly StageRow[]; readonly problem?: ShownProblem }>({});

/** Reads them once more. After a failure the last rows stay. */
export async function readStageRows(): Promise<void> {
  try {
    const { stages } = await ask<StagesAnswer>('/api/stages');
    stageRows.value = { rows: worstFirst(stages) };
  } catch (error) {
    stageRows.value = { ...stageRows.value, problem: problemFrom(error) };
  }
}

/** What is known of one stage of this console. */
export function stageRowOf(name: string): StageRow | undefined {
  return stageRows.value.rows?.find((row) => row.name === name);
}

/** A stage that cannot be read stands first, then what needs a person; equal ones stay in the order of the command line. */
export function worstFirst(rows: readonly StageRow[]): readonly StageRow[] {
  return rows.toSorted((a, b) => rank(a) - rank(b));
}

function rank({ problem, worst }: StageRow): number {
  if (problem !== undefined) return 0;
  return worst === undefined ? 2 : 1;
}
