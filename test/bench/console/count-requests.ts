/**
 * Counts what a console asks of the AWS of a local stage in this process: the requests that arrive
 * there, and the bytes of their answers.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunningStage } from '#local/stage/run-stage.ts';

/** Requests of one kind. */
export interface Asked {
  /** `dynamodb Query`. */
  readonly kind: string;
  /** Who sent them: the console, or the function that answers its questions. */
  readonly by: 'console' | 'function';
  count: number;
  /** Of the answers. */
  readonly bytes: number[];
}

/** Counts until the returned function is called, which gives what was counted. */
export function countRequests({ frontDoor, authority }: RunningStage): () => readonly Asked[] {
  const asked = new Map<string, Asked>();
  const onFinish = (message: unknown) => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
    if (request.socket.localPort !== Number(new URL(frontDoor.url).port)) return;
    const [, keyId, service] =
      /Credential=([^/]+)\/[^/]+\/[^/]+\/([^/]+)\//.exec(request.headers.authorization ?? '') ?? [];
    // The clock of a local stage is no service of AWS.
    if (keyId === undefined || service === undefined || service === 'local') return;
    const caller = authority.callerOf(keyId);
    if (caller.kind === 'role' && !/answer-?questions/i.test(`${caller.session} ${caller.roleName}`)) return;
    const by = caller.kind === 'role' ? 'function' : 'console';
    const kind = `${service} ${operationOf(request)}`;
    const known = asked.get(`${by} ${kind}`) ?? { kind, by, count: 0, bytes: [] };
    known.count += 1;
    known.bytes.push(Number(response.getHeader('content-length') ?? 0));
    asked.set(`${by} ${kind}`, known);
  };
  subscribe('http.server.response.finish', onFinish);
  return () => {
    unsubscribe('http.server.response.finish', onFinish);
    return [...asked.values()].toSorted((one, other) => other.count - one.count);
  };
}

/**
 * The operation of the protocols with a header for it; of the others the method, and the path
 * without names.
 */
function operationOf({ headers, method, url = '' }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.split('.').at(-1) ?? target;
  if (url.endsWith('/invocations')) return 'Invoke';
  return `${method} /${url.split(/[/?]/)[1] ?? ''}`;
}
