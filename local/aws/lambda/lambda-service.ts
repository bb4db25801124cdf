import { asText, type JsonObject, type ResolvedAssembly, resourcesOfType } from '../../template/assembly.ts';
import { typedResources } from '../../template/resource-properties.ts';
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

const INVOCATION_PATH = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
const MAPPINGS_PATH = '/2015-03-31/event-source-mappings';
const MAPPING_PATH = /^\/2015-03-31\/event-source-mappings\/([^/]+)$/;

/** Creates the service. */
export function createLambdaService({ assembly, invokeFunction, log }: LambdaServiceOptions): AwsService {
  const functionNamed = (request: AwsRequest, id: string): string => {
    const name = (id.startsWith('arn:') ? id.split(':')[6] : id.split(':').at(-1)) ?? id;
    const { region, accountId } = assembly;
    request.require('lambda:InvokeFunction', `arn:aws:lambda:${region}:${accountId}:function:${name}`);
    if (resourcesOfType(assembly, 'AWS::Lambda::Function').some((candidate) => candidate.name === name)) return name;
    throw new AwsError('ResourceNotFoundException', `Function not found: ${name}`, { status: 404 });
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
    const name = functionNamed(request, id);
    const payload = request.body.length === 0 ? '{}' : request.body.toString('utf8');
    const kind = headerOf(request.headers, 'x-amz-invocation-type') ?? 'RequestResponse';
    const most = kind === 'Event' ? mostEventBytes : mostRequestBytes;
    if (request.body.length > most)
      throw new AwsError(
        'RequestTooLargeException',
        `Request must be smaller than ${most} bytes for the InvokeFunction operation`,
        { status: 413 },
      );
    if (kind === 'Event') {
      invokeFunction(name, payload).catch((error: unknown) => log(`${name}: ${String(error)}`));
      return { status: 202, headers: {}, body: '' };
    }
    const logTail = headerOf(request.headers, 'x-amz-log-type') === 'Tail';
    const result = withinSize(await invokeFunction(name, payload, { logTail }));
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
      const [, encoded] = INVOCATION_PATH.exec(path) ?? [];
      if (method === 'POST' && encoded !== undefined) return await invoke(request, decodeURIComponent(encoded));
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

function mappings(assembly: ResolvedAssembly, { query }: AwsRequest): JsonObject[] {
  const wanted = query.get('FunctionName');
  return typedResources(assembly, 'AWS::Lambda::EventSourceMapping').flatMap(({ physicalId, typed }) => {
    const name = typed.FunctionName.split(':').at(-1) ?? '';
    if (wanted !== null && wanted.split(':').at(-1) !== name) return [];
    return [
      {
        UUID: physicalId,
        EventSourceArn: typed.EventSourceArn,
        FunctionArn: `arn:aws:lambda:${assembly.region}:${assembly.accountId}:function:${name}`,
        BatchSize: typed.BatchSize,
        State: typed.Enabled ? 'Enabled' : 'Disabled',
      },
    ];
  });
}
