import { arnIn, resourcesOfType } from '../../template/cloud-assembly.ts';
import { typedResources } from '../../template/resource-properties.ts';
import type { AwsStage } from './aws-stage.ts';
import { type AwsRequest, type AwsResponse, type AwsService, jsonResponse } from '../wire/aws-service.ts';
import { AwsError, notEmulated } from '../aws-error.ts';

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

const INVOCATION_PATH = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
const MAPPING_PATH = /^\/2015-03-31\/event-source-mappings\/([^/]+)$/;

export function createLambdaService(invokeFunction: InvokeFunction, { assembly, log }: AwsStage): AwsService {
  const functionNamed = (request: AwsRequest, id: string): string => {
    const name = id.split(':').at(-1) ?? id;
    request.require('lambda:InvokeFunction', arnIn(assembly, 'lambda', `function:${name}`));
    if (resourcesOfType(assembly, 'AWS::Lambda::Function').some((candidate) => candidate.name === name)) return name;
    throw new AwsError('ResourceNotFoundException', `Function not found: ${name}`, 404);
  };
  const mappingFor = (request: AwsRequest, uuid: string): object => {
    const mappings = typedResources(assembly, 'AWS::Lambda::EventSourceMapping');
    const found = mappings.find(({ physicalId }) => physicalId === uuid);
    const name = found?.typed.FunctionName.split(':').at(-1) ?? '';
    const FunctionArn = arnIn(assembly, 'lambda', `function:${name}`);
    request.require(
      'lambda:GetEventSourceMapping',
      arnIn(assembly, 'lambda', `event-source-mapping:${uuid}`),
      // "lambda:FunctionArn condition to restrict actions by associated function" (Lambda Developer
      // Guide, fine-tuning of policies).
      found === undefined ? {} : { 'lambda:FunctionArn': FunctionArn },
    );
    if (found === undefined)
      throw new AwsError('ResourceNotFoundException', 'The resource you requested does not exist.', 404);
    const { EventSourceArn, BatchSize, Enabled } = found.typed;
    return { UUID: uuid, EventSourceArn, FunctionArn, BatchSize, State: Enabled ? 'Enabled' : 'Disabled' };
  };
  const invoke = async (request: AwsRequest, id: string): Promise<AwsResponse> => {
    const name = functionNamed(request, id);
    const payload = request.body.length === 0 ? '{}' : request.body.toString('utf8');
    const isEvent = request.headers['x-amz-invocation-type'] === 'Event';
    const most = isEvent ? mostEventBytes : mostRequestBytes;
    if (request.body.length > most)
      throw new AwsError(
        'RequestTooLargeException',
        `Request must be smaller than ${most} bytes for the InvokeFunction operation`,
        413,
      );
    if (isEvent) {
      invokeFunction(name, payload).catch((error: unknown) => log(`${name}: ${String(error)}`));
      return { status: 202 };
    }
    const logTail = request.headers['x-amz-log-type'] === 'Tail';
    const result = withinSize(await invokeFunction(name, payload, { logTail }));
    return {
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
    protocol: 'json',
    async handle(request) {
      const { method, path } = request;
      const [, invoked] = INVOCATION_PATH.exec(path) ?? [];
      const [, uuid] = MAPPING_PATH.exec(path) ?? [];
      if (method === 'POST' && invoked !== undefined) return invoke(request, decodeURIComponent(invoked));
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
