/** The operations of a service as a table: a row for each, with what it takes. */
import * as z from 'zod';
import { type AwsRequest, type AwsService, jsonBody, jsonResponse } from './aws-service.ts';
import { AwsError, notEmulated } from '../aws-error.ts';
import { queryResponse } from './xml.ts';

/** One row. */
export interface AwsOperation {
  readonly input: z.ZodType;
  /** Gets the input as the row reads it. */
  answer(input: unknown, request: AwsRequest): object | Promise<object>;
}

/** A service as a table. */
interface OperationTable {
  readonly name: string;
  readonly operations: Readonly<Record<string, AwsOperation>>;
  /** A refusal in the words of the service. @default AwsError */
  readonly refusal?: InputRefusal;
}

/** Makes an error; `code` is the service's own for an input that is not valid, if there is none. */
export type InputRefusal = (message: string, code?: string) => AwsError;

const usualRefusal: InputRefusal = (message, code = 'ValidationException') => new AwsError(code, message);

/** Makes a row; the work gets what the row makes of the input. */
export function operation<Input extends z.ZodType>(
  input: Input,
  answer: (input: z.output<Input>, request: AwsRequest) => object | Promise<object>,
): AwsOperation {
  return { input, answer };
}

/** A service that takes JSON and names its operation in a header. */
export function jsonService(table: OperationTable): AwsService {
  return {
    name: table.name,
    protocol: 'json',
    handle: async (request) => jsonResponse(await answerOf(table, jsonBody(request), request)),
  };
}

/** A service of the Query protocol: parameters in, elements of XML out. */
export function queryService(table: OperationTable & { readonly xmlns: string }): AwsService {
  return {
    name: table.name,
    protocol: 'query',
    async handle(request) {
      // What clients add to each request.
      const { Action: _, Version: __, ...sent } = Object.fromEntries(new URLSearchParams(request.body.toString()));
      const elements = await answerOf(table, sent, request);
      return queryResponse(request.operation, Array.isArray(elements) ? elements : [], table.xmlns);
    },
  };
}

/** The answer of the row of an operation; one that has none is not emulated. */
async function answerOf(table: OperationTable, input: object, request: AwsRequest): Promise<object> {
  const { name, operations, refusal } = table;
  const { operation: wanted } = request;
  const row = Object.hasOwn(operations, wanted) ? operations[wanted] : undefined;
  if (row === undefined) throw notEmulated(name, wanted);
  return row.answer(readInput(row.input, input, `${name}:${wanted}`, refusal), request);
}

/**
 * Reads an input by its row.
 * @throws AwsError NotEmulated for what the row does not name, the service's refusal for a wrong value
 */
export function readInput<Input extends z.ZodType>(
  row: Input,
  input: unknown,
  operationName: string,
  refusal = usualRefusal,
): z.output<Input> {
  const { data, error } = row.safeParse(input);
  if (error === undefined) return data;
  throw refusalOf(error.issues, operationName, refusal);
}

function refusalOf([issue]: readonly z.core.$ZodIssue[], operationName: string, refusal: InputRefusal): AwsError {
  if (issue === undefined) return refusal('The input is invalid.');
  if (issue.code === 'unrecognized_keys') {
    const [service = '', name = ''] = operationName.split(':');
    return notEmulated(service, `${name} with ${[...issue.path, issue.keys[0]].join('.')}`);
  }
  const code: unknown = issue.code === 'custom' ? issue.params?.['code'] : undefined;
  if (typeof code === 'string') return refusal(issue.message, code);
  return refusal(`Value for parameter ${issue.path.join('.')} is invalid. Reason: ${issue.message}`);
}

/** A text that has to be there. */
export const filledText = z.string('It is required.').min(1, 'It is required.');
