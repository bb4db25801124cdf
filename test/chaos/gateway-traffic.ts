import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** A moment in the life of a request, as the gateway's own server sees it. */
export type RequestMoment = 'request' | 'answer';

/** What the gateway's server was asked. */
export interface GatewayTraffic {
  /**
   * Requests of the interface so far, by `POST /datasets` and the like; `/_control` is not counted.
   */
  readonly counts: () => Readonly<Record<RequestName, number>>;
  /** Real time since the last request came or the last answer went. */
  readonly silentMs: () => number;
  /** Is told of each request as it arrives, and when its answer has been written. One listener. */
  onMoment: (moment: RequestMoment, name: RequestName) => void;
  readonly close: () => void;
}

/** The requests that workers make. */
export type RequestName = 'POST dataset' | 'PATCH run' | 'GET';

const begins = channel('http.server.request.start');
const ends = channel('http.server.response.finish');

/**
 * Watches the requests of a gateway in this process by Node's own diagnostics: nothing of the
 * gateway is touched.
 */
export function watchTraffic(gatewayPort: number): GatewayTraffic {
  const counts = { 'POST dataset': 0, 'PATCH run': 0, GET: 0 };
  let lastAt = performance.now();
  const onRequest = (message: unknown) => {
    const name = nameOf(message, gatewayPort);
    if (name === undefined) return;
    counts[name] += 1;
    lastAt = performance.now();
    traffic.onMoment('request', name);
  };
  const onAnswer = (message: unknown) => {
    const name = nameOf(message, gatewayPort);
    if (name === undefined) return;
    lastAt = performance.now();
    traffic.onMoment('answer', name);
  };
  const traffic: GatewayTraffic = {
    counts: () => ({ ...counts }),
    silentMs: () => performance.now() - lastAt,
    onMoment: () => {},
    close() {
      begins.unsubscribe(onRequest);
      ends.unsubscribe(onAnswer);
    },
  };
  begins.subscribe(onRequest);
  ends.subscribe(onAnswer);
  return traffic;
}

function nameOf(message: unknown, gatewayPort: number): RequestName | undefined {
  const { request } = message as { readonly request: IncomingMessage };
  if (request.socket.localPort !== gatewayPort || request.url?.startsWith('/backend/') !== true) return undefined;
  if (request.method === 'POST') return 'POST dataset';
  return request.method === 'PATCH' ? 'PATCH run' : 'GET';
}
