/** A peer of the test's own, with a clock that the test moves, and a client that answers status and JSON. */
import { onTestFinished } from 'vitest';
import type { Behaviour } from '../../peer/behaviour.ts';
import { type Peer, peerToken, startPeer } from '../../peer/peer.ts';
import { peerIds } from '../../peer/seed.ts';
import type { PeerRun } from '../../peer/state.ts';

const minuteMs = 60_000;

/** The time at which each of these tests begins. */
const begin = new Date('2026-12-01T12:00:00Z');

/** A time so many minutes after the begin of the test, in RFC 3339. */
export function minute(minutes: number): string {
  return new Date(begin.getTime() + minutes * minuteMs).toISOString();
}

/** An answer. */
interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test asserts what its answer holds
  readonly body: any;
  /** The fields that a 422 names, such as `body.startAt`. */
  readonly named: readonly string[];
}

/** What a test has. */
export interface OpenPeer {
  readonly peer: Peer;
  readonly send: (method: string, path: string, body?: unknown) => Promise<Answered>;
  readonly patch: (run: PeerRun, body: unknown) => Promise<Answered>;
  /** Moves the clock to so many minutes after the begin. */
  readonly moveTo: (minutes: number) => void;
  /** A run that is scheduled so many minutes after the begin. */
  readonly scheduled: (minutes: number) => PeerRun;
}

/** Starts one, and ends it with the test. */
export async function openPeer(behaviour: Partial<Behaviour> = {}): Promise<OpenPeer> {
  let now = begin;
  const peer = await startPeer({ now: () => now, behaviour });
  onTestFinished(() => peer.close());

  async function send(method: string, path: string, body?: unknown): Promise<Answered> {
    const isForm = body instanceof FormData;
    const response = await fetch(`${peer.url}/backend/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${peerToken}`,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined || isForm || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const answer = JSON.parse(await response.text());
    const detail: { loc: string[] }[] = Array.isArray(answer.detail) ? answer.detail : [];
    const named = detail.map(({ loc }) => loc.join('.'));
    return { status: response.status, headers: response.headers, body: answer, named };
  }

  return {
    peer,
    send,
    patch: (run, body) => send('PATCH', `/campaign-runs/${run.id}`, body),
    moveTo: (minutes) => {
      now = new Date(minute(minutes));
    },
    scheduled: (minutes) =>
      peer.addRun({ campaignId: peerIds.campaigns.nightly, startAt: new Date(minute(minutes)), name: 'nightly' }),
  };
}
