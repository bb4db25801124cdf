/**
 * One HTTP server in front of all services: finds the service, the caller, the signature and the
 * rights, and writes what comes back.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Authority, Caller } from '../iam/authority.ts';
import { diskProblem } from '#shared/state-folder/disk-problem.ts';
import { isOwnCaller, keepToOwner } from '#shared/net/connection-owner.ts';
import type { AwsRequest, AwsResponse, AwsService, Protocol } from './aws-service.ts';
import { AccessDenied, AwsError, notEmulated, toAwsError } from '../aws-error.ts';
import { realNow } from '../../clock/moved-date.mjs';
import { claimOf, requireSigned, type SignatureRules } from './signature.ts';
import { writeError } from './xml.ts';

/** Pages and JSON of the runner itself, under `/_local/`; true if the request was taken. */
export type ExtraRoutes = (request: IncomingMessage, response: ServerResponse) => boolean;

/** What the server needs. */
export interface ServeOptions {
  readonly services: readonly AwsService[];
  readonly authority: Authority;
  readonly region: string;
  readonly port: number;
  /** @default the machine's time */
  readonly times?: SignatureRules['times'] | undefined;
  readonly extraRoutes?: ExtraRoutes | undefined;
  /** Of the state: what fails may be its disk. */
  readonly dataDir: string;
  readonly log: (line: string) => void;
}

/** What answering one request needs beside it. */
interface Surroundings extends ServeOptions {
  readonly times: SignatureRules['times'];
  readonly sayRefusal: SayRefusal;
  readonly sayFailure: (request: IncomingMessage, error: unknown) => void;
}

type SayRefusal = (caller: Caller, action: string, message: string) => void;

/** Listens on loopback only; rejects if the port is taken. */
export async function serve(options: ServeOptions): Promise<Server> {
  const { times = () => [realNow()] } = options;
  const surroundings = { ...options, times, sayRefusal: sayEachOnce(options.log), sayFailure: sayFailures(options) };
  const services = new Map(options.services.map((service) => [service.name, service]));
  const server = createServer();
  keepToOwner(server, { warn: options.log });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const problem = foreignRequest(request.headers);
    if (problem !== undefined) return refuse(response, 403, problem);
    void admit(request, response, options.extraRoutes).then((isIn) =>
      isIn ? answer(request, response, services, surroundings) : undefined,
    );
  });
  // Longer than clients keep idle connections: otherwise a request now and then meets a closing
  // socket.
  server.keepAliveTimeout = 65_000;
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function refuse(response: ServerResponse, status: number, problem: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${problem}\n`);
}

/** Whether the request is for AWS, and comes from this user or root, who still waits for its answer. */
async function admit(
  request: IncomingMessage,
  response: ServerResponse,
  takeExtra: ExtraRoutes | undefined,
): Promise<boolean> {
  if (!(await isOwnCaller(request.socket)) || response.destroyed) return false;
  return request.url?.startsWith('/_local/') !== true || takeExtra?.(request, response) !== true;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  services: ReadonlyMap<string, AwsService>,
  surroundings: Surroundings,
): Promise<void> {
  const requestId = randomUUID();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let service: AwsService | undefined;
  let result: AwsResponse;
  try {
    // A refusal is written as the service writes its own, or its client could not read it.
    service = services.get(claimOf(request.headers)?.service ?? '');
    const { authority, times } = surroundings;
    const secretOf = (name: string) => authority.secretOf(name);
    const body = await readBody(request);
    const claim = await requireSigned(request, body, { secretOf, times });
    const read = awsRequest(request, { ...claim, body, gone: gone.signal }, surroundings);
    if (service === undefined) throw notEmulated(claim.service, read.operation || `${read.method} ${read.path}`);
    result = await service.handle(read);
  } catch (error) {
    const awsError = toAwsError(error);
    if (awsError.status >= 500 && !gone.signal.aborted) surroundings.sayFailure(request, error);
    result = writeError(awsError, service?.protocol ?? protocolOf(request), requestId);
  }
  if (!response.destroyed) write(request, response, result, requestId);
}

/**
 * The largest request that is taken: bodies are held in memory. S3 takes 5 GiB in one PUT; clients
 * send more in parts.
 */
const mostBodyBytes = 256 * 1024 * 1024;

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > mostBodyBytes)
      throw new AwsError('EntityTooLarge', 'Your proposed upload exceeds the maximum allowed size');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function awsRequest(
  { method = 'GET', url = '/', headers: received }: IncomingMessage,
  { accessKeyId, body, gone }: { readonly accessKeyId: string; readonly body: Buffer; readonly gone: AbortSignal },
  { authority, region, sayRefusal }: Surroundings,
): AwsRequest {
  const caller = authority.callerOf(accessKeyId);
  const [path = '', ...search] = url.split('?');
  const headers = Object.fromEntries(Object.entries(received).map(([name, value]) => [name, String(value)]));
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  const action = isForm ? new URLSearchParams(body.toString('utf8')).get('Action') : undefined;
  return {
    method,
    path,
    query: new URLSearchParams(search.join('?')),
    headers,
    body,
    caller,
    operation: headers['x-amz-target']?.split('.').slice(1).join('.') ?? action ?? '',
    gone,
    require(wanted, resource, context = {}) {
      const decision = authority.authorize({
        caller,
        action: wanted,
        resource,
        context: { 'aws:RequestedRegion': region, 'aws:SourceIp': '127.0.0.1', ...context },
      });
      if (decision.allowed) return;
      sayRefusal(caller, wanted, decision.message);
      throw new AccessDenied(decision.message);
    },
  };
}

/**
 * Logs each refused action of a role once, with the first resource. A caller may retry a thousand
 * times, or not show the reason (a text that might hold a secret is not passed on).
 */
function sayEachOnce(log: ServeOptions['log']): SayRefusal {
  const said = new Set<string>();
  return (caller, action, message) => {
    // A person reads the refusal as the answer.
    if (caller.kind === 'person') return;
    const who = caller.kind === 'role' ? `${caller.roleArn} ${caller.session}` : caller.kind;
    if (said.has(`${who} ${action}`)) return;
    said.add(`${who} ${action}`);
    log(`AccessDenied: ${message}`);
  };
}

/** All work meets a full disk, and is repeated. */
const sayDiskEveryMs = 60_000;

/** Logs each failure, and one of the disk from time to time. */
function sayFailures({ log, dataDir }: ServeOptions): Surroundings['sayFailure'] {
  let saidAt = -Infinity;
  return ({ method, url }, error) => {
    const problem = diskProblem(dataDir, error);
    if (problem === undefined) return log(`${method} ${url?.split('?')[0]}: ${toAwsError(error).message}`);
    if (performance.now() - saidAt < sayDiskEveryMs) return;
    saidAt = performance.now();
    log(`work is refused, and repeated later: ${problem}`);
  };
}

/** The format for errors of services that are not emulated: what the client most likely reads. */
function protocolOf(request: IncomingMessage): Protocol {
  return request.headers['x-amz-target'] === undefined ? 'query' : 'json';
}

function write(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status = 200, headers = {}, body = '' }: AwsResponse,
  requestId: string,
): void {
  response.statusCode = status;
  response.setHeader('x-amzn-requestid', requestId);
  response.setHeader('x-amz-request-id', requestId);
  // An object that is a page must not act in this origin, which the developer trusts.
  response.setHeader('content-security-policy', 'sandbox');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (method === 'HEAD' || status === 204) {
    response.end();
    return;
  }
  response.setHeader('content-length', Buffer.byteLength(body));
  response.end(body);
}

/**
 * Loopback is open to every page in the developer's browser. A caller without a key is the
 * developer here. So requests that a foreign page could send, across sites or under a name of its
 * own that resolves to this machine, are refused.
 */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Why a request is turned away, or undefined if it may come in. */
export function foreignRequest(headers: IncomingHttpHeaders): string | undefined {
  const { host = '', origin } = headers;
  if (!LOOPBACK_HOST.test(host))
    return `the local runner answers to 127.0.0.1 only, not to ${host}: use path-style addresses`;
  const { 'sec-fetch-site': site = 'none' } = headers;
  // The front door serves no page of its own; an object that is a page is not trusted either.
  if (site !== 'none' || origin !== undefined) return 'the local runner takes no requests from web pages';
  return undefined;
}
