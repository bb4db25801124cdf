import { checkPromptLabelCsv } from '#shared/datasets/prompt-label-csv.ts';
import { type DatasetFields, datasetRequest } from '#functions/register-datasets/prepare/dataset-request.ts';
import { chooseRule } from '#shared/uploads/dataset-rule.ts';
import { createObjectStore, createS3Client } from '#shared/aws/object-store.ts';
import { isFolderMarker } from '#shared/uploads/object-key.ts';
import { type ObjectCreated, parseObjectEvents } from '#shared/uploads/object-events.ts';
import { functionConfig } from './function-config.ts';
import { requestGateway } from './gateway-request.ts';

const { datasetRules, gateway } = functionConfig('register-datasets');
const objects = createObjectStore(createS3Client());

/**
 * The object versions of an S3 event that a rule takes; test events, folder markers and the rest
 * are passed over.
 */
export function objectsToRegister(messageBody: string): readonly ObjectCreated[] {
  const parsed = parseObjectEvents(messageBody);
  if (parsed.kind === 'test-event') return [];
  if (parsed.kind === 'bad') throw new Error(parsed.detail);
  return parsed.records.filter(
    (object) =>
      object.kind === 'created' && !isFolderMarker(object) && chooseRule(datasetRules, object.key) !== undefined,
  ) as readonly ObjectCreated[];
}

/**
 * Registers one object version: the same fields and the same check as Autopilot's own worker, and
 * one POST.
 * @throws Error for whatever goes wrong, so that the queue delivers the message again
 */
export async function registerObject(object: ObjectCreated): Promise<{ readonly id: string }> {
  const rule = chooseRule(datasetRules, object.key);
  using opened = await objects.open(object);
  if (rule === undefined || opened === undefined) throw new Error(`${object.key} is gone`);
  const request = datasetRequest(object, opened, { rule });
  if (!request.ok) throw new Error(request.detail);
  if (rule.check === 'prompt-label-csv') {
    const check = await checkPromptLabelCsv(opened.pieces);
    if (!check.ok) throw new Error(check.problems.join('; '));
  }
  const body = rule.file === undefined ? request.fields : await formOf(request.fields, opened.pieces);
  const { id } = await requestGateway(`${gateway.baseUrl}/backend/v1/datasets`, 'POST', body);
  if (typeof id !== 'string') throw new Error('the gateway answered without an id');
  return { id };
}

async function formOf(fields: DatasetFields, pieces: AsyncIterable<Uint8Array>): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) for (const text of [value].flat()) form.append(name, text);
  const bytes: Uint8Array[] = [];
  for await (const piece of pieces) bytes.push(piece);
  form.append('file', new Blob([Buffer.concat(bytes)]), 'file');
  return form;
}
