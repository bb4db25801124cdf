/** The lines of the table about runs that may go on, or are to begin. Pure. */
import { showsWithin } from '#shared/ledger/rows/target-row.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import { roughly, withInstants } from '../readable.ts';
import { byStop, countedOut, lateMs, readingWords, startAgain, stopIt } from './ended-lines.ts';
import type { Line, Look } from './look.ts';

const stopDue: Line = (look) => {
  const { entry, at, now, stopsAt = '' } = look;
  const overMs = now.getTime() - Date.parse(stopsAt);
  if (entry === undefined || !(overMs > lateMs)) return undefined;
  const next = stopIt(look, 'Ask for the stop again.');
  const says = `its stop was due ${at(stopsAt)}: late by ${roughly(overMs)}`;
  return { state: 'stop-due', tone: 'bad', says, next };
};

const stopping: Line = ({ entry, reading, end, stop, start }) => {
  const isOurs = entry?.state === 'stopping' || end?.how === 'ordered';
  if (!isOurs && reading?.status !== 'cancelling') return undefined;
  const by = isOurs ? (stop === undefined ? '' : byStop(stop, start)) : ' at the gateway';
  return { state: 'stopping', tone: 'plain', says: `is being stopped${by}` };
};

const mayHaveRun: Line = ({ start, isShown, at }) => {
  const interval = start.mayHaveRun;
  if (interval === undefined || isShown) return undefined;
  const says = `no answer came: it may have run from ${at(interval.from)} until ${at(interval.until)}`;
  const next = startAgain({ start }, 'Look at the gateway whether it ran. To start it again:');
  return { state: 'may-have-run', tone: 'bad', says, next };
};

const running: Line = (look) => {
  const { reading, isShown, startAt, at } = look;
  if (!isShown) return undefined;
  const words = reading?.status === 'in_progress' ? readingWords(reading) : '';
  return { state: 'running', tone: 'good', says: `runs since ${at(startAt)}${words}${stopWords(look)}` };
};

function stopWords({ stopsAt, at }: Look): string {
  return stopsAt === undefined ? '' : `, stops ${at(stopsAt)}`;
}

/** The start has no outcome yet: no request has left, or each that left was proven to have done nothing. */
function isUnsent({ start, entry }: Look): boolean {
  const isAsked = start.requests !== undefined && start.campaignRunId !== undefined;
  return start.outcome === undefined && entry === undefined && !isAsked;
}

const deferred: Line = (look) => {
  const { deferred: by, attempt } = look.start;
  if (!isUnsent(look) || by === undefined || attempt !== undefined) return undefined;
  const says = `waits until ${look.at(by.until)} for the end of the blackout ${by.blackout}`;
  return { state: 'deferred', tone: 'plain', says };
};

const waiting: Line = (look) => {
  if (!isUnsent(look)) return undefined;
  const { requests, attempt } = look.start;
  const asked = requests === undefined ? '' : `${askedWords(requests, look.at)}; `;
  const why = attempt?.waitsFor === undefined ? '' : `: ${withInstants(attempt.waitsFor, look.at)}`;
  return { state: 'waiting', tone: attempt?.lastError === undefined ? 'plain' : 'warn', says: `${asked}waits${why}` };
};

/** `asked 21:45, 7 times, the last one answered 503`. */
function askedWords(requests: Look['start']['requests'], at: Look['at']): string {
  if (requests === undefined) return 'asked';
  const { count, first, last } = requests;
  const { status, code } = last.answer ?? {};
  const many = count === 1 ? '' : ` ${count} times since then,`;
  const said = status ?? code;
  return `asked ${at(first.at)},${many} ${said === undefined ? 'no answer yet' : `${count === 1 ? '' : 'last '}answered ${said}`}`;
}

/** An attempt and its request end within this: after it, a request without an answer has none. */
const longestAttemptMs = 60_000;

const unanswered: Line = ({ start, startAt, at, now }) => {
  if (start.outcome !== undefined) return undefined;
  const may = Date.parse(startAt) > now.getTime() ? `it may begin ${at(startAt)}` : `it may run since ${at(startAt)}`;
  const next = {
    says: 'Nothing to do: it is made certain automatically. To see how:',
    command: ['autopilot', 'show', start.id],
  };
  const isFresh = now.getTime() - Date.parse(start.requests?.first.at ?? '') <= longestAttemptMs;
  return {
    state: 'unanswered',
    tone: isFresh ? 'plain' : 'warn',
    says: `${askedWords(start.requests, at)}: ${may}`,
    next,
  };
};

const scheduled: Line = (look) => {
  const { startAt, now, at } = look;
  if (Date.parse(startAt) <= now.getTime()) return undefined;
  return { state: 'scheduled', tone: 'good', says: `begins ${at(startAt)}${stopWords(look)}` };
};

const unseen: Line = (look) => {
  const { start, entry, reading, noted, startAt, at, now } = look;
  const within = (start.facts ?? entry)?.confirmWithin ?? (reading?.status === 'scheduled' ? showsWithin : undefined);
  if (within === undefined) return undefined;
  const untilMs = Date.parse(startAt) + (durationMs(within) ?? 0);
  if (noted?.missingSince === undefined && now.getTime() < untilMs) {
    const says = `should run since ${at(startAt)}; its sign is awaited until ${at(new Date(untilMs).toISOString())}`;
    return { state: 'awaited', tone: 'plain', says: `${says}${stopWords(look)}` };
  }
  const says = `should run since ${at(startAt)}; the gateway does not show it`;
  const next = startAgain({ start }, 'Look at the gateway whether it runs. To start it again:');
  return { state: 'unconfirmed', tone: 'bad', says, next };
};

const accepted: Line = (look) => {
  const says = `runs since ${look.at(look.startAt)}, as the gateway accepted${stopWords(look)}`;
  return { state: 'accepted', tone: 'good', says };
};

/** Lines 8 to 15, in their order. */
export const openLines: readonly Line[] = [
  stopDue,
  stopping,
  mayHaveRun,
  countedOut,
  running,
  deferred,
  waiting,
  unanswered,
  scheduled,
  unseen,
  accepted,
];
