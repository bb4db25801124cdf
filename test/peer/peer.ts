/**
 * A gateway for tests, as strict as the page of the real one says. It shares nothing with the
 * product: it is made from that page, begins and ends runs by itself, and keeps a log of what
 * happened at it.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Behaviour, usualBehaviour } from './behaviour.ts';
import { type PeerRequest, readRequest } from './request.ts';
import { type Answer, answerTo } from './routes.ts';
import { cancel, settle } from './run-life.ts';
import { addRun, type Effect, type EffectOf, type NewRun, type PeerRun, type PeerState } from './state.ts';

/** How to start one. */
interface PeerOptions {
  /** The clock from which the gateway's own is made. @default the machine's */
  readonly now?: () => Date;
  /** @default `peerToken` */
  readonly tokens?: readonly string[];
  readonly behaviour?: Partial<Behaviour>;
}

/** The token that is good if no other is named. */
export const peerToken = 'a-token-of-the-peer';

/** A request that arrived, and its answer. */
interface Exchange extends PeerRequest {
  readonly at: Date;
  /** Absent: the connection broke. */
  readonly answer?: Answer;
}

/** A peer that listens. */
export interface Peer {
  readonly url: string;
  readonly state: PeerState;
  readonly behaviour: Behaviour;
  /** What arrived, in this order. */
  readonly requests: readonly Exchange[];
  /** Brings the runs to now, and gives all that happened. */
  effects(): readonly Effect[];
  effects<K extends Effect['kind']>(kind: K): readonly EffectOf<K>[];
  /** Makes a run that is scheduled, as a person at the gateway's console does. */
  addRun(run: NewRun): PeerRun;
  /** Cancels a run, as a person at the gateway's console does. */
  cancelRun(id: string): void;
  /** A run as it is now. */
  run(id: string): PeerRun;
  /** Ends it; rejects if the peer itself failed at a request. */
  close(): Promise<void>;
}

/**
 * Starts a peer on 127.0.0.1.
 *
 * @example
 * const peer = await startPeer({ now: () => clock, behaviour: { lateStop: 409 } });
 * const { id } = peer.addRun({ campaignId: peerIds.campaigns.nightly, startAt });
 * peer.behaviour.faultOf = ({ method }) => (method === 'PATCH' ? { kind: 'lose-answer' } : undefined);
 * await peer.close();
 */
export async function startPeer(options: PeerOptions = {}): Promise<Peer> {
  const { now = () => new Date(), tokens = [peerToken] } = options;
  const behaviour = { ...usualBehaviour(), ...options.behaviour };
  const state: PeerState = {
    behaviour,
    now: () => new Date(now().getTime() + behaviour.aheadMs),
    runs: new Map(),
    datasets: new Map(),
    effects: [],
  };
  const good = new Set(tokens);
  const requests: Exchange[] = [];
  const defects: unknown[] = [];
  const server = createServer((message, response) => {
    exchange(message, response).catch((error: unknown) => {
      // A client may go away while it sends; anything else is a mistake here, and the test hears of it.
      if (!message.errored) defects.push(error);
      response.destroy();
    });
  });

  async function exchange(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message, good);
    const fault = behaviour.faultOf(request);
    if (fault?.kind === 'delay') await fault.until;
    const answer = fault?.kind === 'answer' ? { body: {}, ...fault } : applied(request);
    const isLost = fault?.kind === 'lose-answer';
    requests.push({ ...request, at: state.now(), answer: isLost ? undefined : answer });
    if (isLost) response.destroy();
    else write(response, answer, state.now());
  }

  function applied(request: PeerRequest): Answer {
    settle(state);
    return answerTo(state, request);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behaviour,
    requests,
    ...acts(state),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      if (defects.length > 0) throw new AggregateError(defects, 'the peer failed');
    },
  };
}

/** What a test does beside the requests. */
function acts(state: PeerState): Pick<Peer, 'state' | 'effects' | 'addRun' | 'cancelRun' | 'run'> {
  const run = (id: string): PeerRun => {
    settle(state);
    const known = state.runs.get(id);
    if (known === undefined) throw new Error(`the peer has no run ${id}`);
    return known;
  };
  return {
    state,
    run,
    effects: <K extends Effect['kind']>(kind?: K) => {
      settle(state);
      return state.effects.filter((effect): effect is EffectOf<K> => kind === undefined || effect.kind === kind);
    },
    addRun: (given) => addRun(state, given),
    cancelRun: (id) => cancel(state, run(id)),
  };
}

function write(response: ServerResponse, { status, body }: Answer, now: Date): void {
  response.sendDate = false;
  response.writeHead(status, { 'content-type': 'application/json', date: now.toUTCString() });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
