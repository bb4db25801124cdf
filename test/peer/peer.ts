/**
 * A gateway for tests, as strict as the page of the real one says. It shares nothing with the
 * product: it is made from that page, begins and ends runs by itself, and keeps a log of what
 * happened at it.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type Behaviour, type Fault, usualBehaviour } from './behaviour.ts';
import { type PeerRequest, readRequest } from './request.ts';
import { type Answer, answerTo } from './routes.ts';
import { cancel, settle } from './run-life.ts';
import { seed } from './seed.ts';
import { addRun, type Effect, type EffectOf, type NewRun, type PeerRun, type PeerState } from './state.ts';

/** How to start one. */
export interface PeerOptions {
  /** @default a free one */
  readonly port?: number;
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
  /** Its effects are there, unless it was refused. */
  readonly wasApplied: boolean;
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
  /** From now on these tokens are good, and no others. */
  setTokens(tokens: readonly string[]): void;
  /** Lets happen what is due. Each request and each look does too. */
  tick(): void;
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
  const { port = 0, now = () => new Date(), tokens = [peerToken] } = options;
  const behaviour = { ...usualBehaviour(), ...options.behaviour };
  const state = seed(behaviour, () => new Date(now().getTime() + behaviour.aheadMs));
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
    const fault = await behaviour.faultOf(request);
    const { wasApplied, answer } = await struckBy(fault, () => {
      settle(state);
      return answerTo(state, request);
    });
    requests.push({ ...request, at: state.now(), wasApplied, answer });
    if (answer === undefined) response.destroy();
    else write(response, answer, { now: state.now(), compresses: behaviour.compresses });
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behaviour,
    requests,
    ...acts(state),
    setTokens: (next) => {
      good.clear();
      for (const token of next) good.add(token);
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      if (defects.length > 0) throw new AggregateError(defects, 'the peer failed');
    },
  };
}

/** What a test does beside the requests. */
function acts(state: PeerState): Pick<Peer, 'state' | 'effects' | 'addRun' | 'cancelRun' | 'run' | 'tick'> {
  const run = (id: string): PeerRun => {
    settle(state);
    const known = state.runs.get(id);
    if (known === undefined) throw new Error(`the peer has no run ${id}`);
    return known;
  };
  return {
    state,
    run,
    tick: () => settle(state),
    effects: <K extends Effect['kind']>(kind?: K) => {
      settle(state);
      return state.effects.filter((effect): effect is EffectOf<K> => kind === undefined || effect.kind === kind);
    },
    addRun: (given) => addRun(state, given),
    cancelRun: (id) => cancel(state, run(id)),
  };
}

/** What becomes of a request by a fault. */
async function struckBy(
  fault: Fault | undefined,
  apply: () => Answer,
): Promise<{ readonly wasApplied: boolean; readonly answer?: Answer }> {
  switch (fault?.kind) {
    case undefined:
      return { wasApplied: true, answer: apply() };
    case 'reset':
      return { wasApplied: false };
    case 'lose-answer':
      apply();
      return { wasApplied: true };
    case 'answer':
      return { wasApplied: fault.applies === true, answer: replaced(fault, apply) };
    case 'delay':
      return { wasApplied: true, answer: await delayed(fault, apply) };
  }
}

function replaced(fault: Fault & { readonly kind: 'answer' }, apply: () => Answer): Answer {
  if (fault.applies === true) apply();
  const { status, headers = {}, body = {} } = fault;
  return { status, headers, body };
}

async function delayed({ until, place }: Fault & { readonly kind: 'delay' }, apply: () => Answer): Promise<Answer> {
  if (place === 'before') await until;
  const answer = apply();
  if (place === 'after') await until;
  return answer;
}

const compressions = { br: brotliCompressSync, deflate: deflateSync, gzip: gzipSync, zstd: zstdCompressSync };

function write(
  response: ServerResponse,
  { status, body, headers = {} }: Answer,
  { now, compresses }: Pick<Behaviour, 'compresses'> & { readonly now: Date },
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const coding = compresses === undefined ? {} : { 'content-encoding': compresses };
  response.sendDate = false;
  response.writeHead(status, { 'content-type': 'application/json', date: now.toUTCString(), ...coding, ...headers });
  response.end(compresses === undefined ? text : compressions[compresses](text));
}
