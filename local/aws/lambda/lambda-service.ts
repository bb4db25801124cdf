import {
  arnOf,
  asNumber,
  asObject,
  asText,
  type JsonObject,
  type ResolvedAssembly,
  type ResolvedResource,
  resourcesOfType,
} from '../../template/assembly.ts';
import { type AwsRequest, type AwsResponse, type AwsService, jsonResponse, notEmulated } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import { headerOf } from '../wire/read-request.ts';

/** What an invocation gave back. */
export interface InvocationResult {
  /** The function's answer, or its error, as JSON text. */
  readonly payload: string;
  /** `Unhandled` or `Handled` if the function failed. */
  readonly functionError?: string;
  /** The last 4 KB of its log in base64, if they were asked for. */
  readonly logResult?: string;
}

/** Runs a function with a JSON payload. */
export type InvokeFunction = (
  functionName: string,
  payload: string,
  options?: { readonly logTail?: boolean },
) => Promise<InvocationResult>;

/** What the service needs. */
export interface LambdaServiceOptions {
  readonly assembly: ResolvedAssembly;
  readonly invokeFunction: InvokeFunction;
  /** Hears of asynchronous invocations that could not be made at all. */
  readonly log: (line: string) => void;
}

const FUNCTION_PATH = /^\/2015-03-31\/functions\/([^/]+)\/(invocations|configuration)$/;
const MAPPINGS_PATH = '/2015-03-31/event-source-mappings';
const MAPPING_PATH = /^\/2015-03-31\/event-source-mappings\/([^/]+)$/;

/** Creates the service. */
export function createLambdaService({ assembly, invokeFunction, log }: LambdaServiceOptions): AwsService {
  const functions = resourcesOfType(assembly, 'AWS::Lambda::Function');
  const functionFor = (request: AwsRequest, id: string, action: string): ResolvedResource => {
    const name = (id.startsWith('arn:') ? id.split(':')[6] : id.split(':').at(-1)) ?? id;
    request.require(`lambda:${action}`, `arn:aws:lambda:${assembly.region}:${assembly.accountId}:function:${name}`);
    const found = functions.find((candidate) => candidate.name === name);
    if (found === undefined)
      throw new AwsError('ResourceNotFoundException', `Function not found: ${name}`, { status: 404 });
    return found;
  };
  const mappingFor = (request: AwsRequest, uuid: string): JsonObject => {
    const { region, accountId } = assembly;
    const found = mappings(assembly, request).find((mapping) => mapping['UUID'] === uuid);
    const functionArn = asText(found?.['FunctionArn']);
    request.require(
      'lambda:GetEventSourceMapping',
      `arn:aws:lambda:${region}:${accountId}:event-source-mapping:${uuid}`,
      // "lambda:FunctionArn condition to restrict actions by associated function" (Lambda Developer
      // Guide, fine-tuning of policies).
      functionArn === undefined ? {} : { 'lambda:FunctionArn': functionArn },
    );
    if (found === undefined)
      throw new AwsError('ResourceNotFoundException', 'The resource you requested does not exist.', { status: 404 });
    return found;
  };
  const invoke = async (request: AwsRequest, id: string): Promise<AwsResponse> => {
    const target = functionFor(request, id, 'InvokeFunction');
    const payload = request.body.length === 0 ? '{}' : request.body.toString('utf8');
    const kind = headerOf(request.headers, 'x-amz-invocation-type') ?? 'RequestResponse';
    const most = kind === 'Event' ? mostEventBytes : mostRequestBytes;
    if (request.body.length > most)
      throw new AwsError(
        'RequestTooLargeException',
        `Request must be smaller than ${most} bytes for the InvokeFunction operation`,
        { status: 413 },
      );
    if (kind === 'DryRun') return { status: 204, headers: {}, body: '' };
    if (kind === 'Event') {
      invokeFunction(target.name, payload).catch((error: unknown) => log(`${target.name}: ${String(error)}`));
      return { status: 202, headers: {}, body: '' };
    }
    const logTail = headerOf(request.headers, 'x-amz-log-type') === 'Tail';
    const result = withinSize(await invokeFunction(target.name, payload, { logTail }));
    return {
      status: 200,
      headers: {
        'content-type': 'application/json',
        'x-amz-executed-version': '$LATEST',
        ...(result.functionError === undefined ? {} : { 'x-amz-function-error': result.functionError }),
        ...(result.logResult === undefined ? {} : { 'x-amz-log-result': result.logResult }),
      },
      body: result.payload,
    };
  };

  return {
    name: 'lambda',
    protocol: 'rest-json',
    async handle(request) {
      const { method } = request;
      const path = request.path.replace(/\/$/, '');
      const [, encoded = '', what] = FUNCTION_PATH.exec(path) ?? [];
      const id = decodeURIComponent(encoded);
      if (method === 'POST' && what === 'invocations') return await invoke(request, id);
      if (method === 'GET' && what === 'configuration')
        return jsonResponse(configuration(functionFor(request, id, 'GetFunctionConfiguration')));
      if (method === 'GET' && path === MAPPINGS_PATH) {
        request.require('lambda:ListEventSourceMappings', '*');
        return jsonResponse({ EventSourceMappings: mappings(assembly, request) });
      }
      const uuid = MAPPING_PATH.exec(path)?.[1];
      if (method === 'GET' && uuid !== undefined) return jsonResponse(mappingFor(request, decodeURIComponent(uuid)));
      throw notEmulated('lambda', `${method} ${path}`);
    },
  };
}

/** Lambda quotas, in bytes: what a caller sends and waits for, and sends without waiting. */
const mostRequestBytes = 6 * 1024 * 1024;
const mostEventBytes = 1024 * 1024;

/** A little more than the request: the number is in Lambda's own message. */
const mostAnswerBytes = 6_291_556;

function withinSize(result: InvocationResult): InvocationResult {
  if (Buffer.byteLength(result.payload) <= mostAnswerBytes) return result;
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${mostAnswerBytes} bytes).`;
  const payload = JSON.stringify({ errorMessage, errorType: 'Function.ResponseSizeTooLarge' });
  return { ...result, payload, functionError: 'Unhandled' };
}

function configuration(resource: ResolvedResource): JsonObject {
  const { properties } = resource;
  return {
    FunctionName: resource.name,
    FunctionArn: arnOf(resource),
    Role: properties['Role'] ?? '',
    Runtime: properties['Runtime'] ?? '',
    Handler: properties['Handler'] ?? '',
    Timeout: asNumber(properties['Timeout']) ?? 3, // Lambda's default
    MemorySize: asNumber(properties['MemorySize']) ?? 128, // Lambda's default
    Environment: asObject(properties['Environment']),
    State: 'Active',
    LastUpdateStatus: 'Successful',
    Version: '$LATEST',
  };
}

function mappings(assembly: ResolvedAssembly, { query }: AwsRequest): JsonObject[] {
  const wanted = query.get('FunctionName');
  return resourcesOfType(assembly, 'AWS::Lambda::EventSourceMapping').flatMap((mapping) => {
    const { properties } = mapping;
    const name = (asText(properties['FunctionName']) ?? '').split(':').at(-1) ?? '';
    if (wanted !== null && wanted.split(':').at(-1) !== name) return [];
    return [
      {
        UUID: mapping.physicalId,
        EventSourceArn: properties['EventSourceArn'] ?? '',
        FunctionArn: `arn:aws:lambda:${assembly.region}:${assembly.accountId}:function:${name}`,
        BatchSize: asNumber(properties['BatchSize']) ?? 10, // Lambda's default for queues
        State: asText(properties['Enabled']) === 'false' ? 'Disabled' : 'Enabled',
      },
    ];
  });
}
