import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { outcomeEventDetails } from '#shared/messages/outcome-events.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import { replaceBetween } from './between-marks.ts';

/** The document whose tables are made from the schemas. */
export const eventsPath = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'events.md');

/** The document as it should be: its own words and examples, and a table of the schema of each event. */
export async function freshEventsDocument(): Promise<string> {
  const document = await readFile(eventsPath, 'utf8');
  return Object.values(eventTypes).reduce(
    (text, type) => replaceBetween(text, { name: type, command: 'npm run docs:events' }, tableOf(type)),
    document,
  );
}

/** The fields of an event's detail and whether each is always there. */
export function fieldsOf(type: EventType): readonly { readonly name: string; readonly isAlwaysThere: boolean }[] {
  const { properties, required } = readSchema(type);
  return Object.keys(properties).map((name) => ({ name, isAlwaysThere: required.includes(name) }));
}

const property = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  const: z.json().optional(),
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  items: z.looseObject({ type: z.string() }).optional(),
  description: z.string().optional(),
});

const jsonSchema = z.looseObject({
  properties: z.record(z.string(), property),
  required: z.array(z.string()),
});

function readSchema(type: EventType): z.infer<typeof jsonSchema> {
  return jsonSchema.parse(z.toJSONSchema(outcomeEventDetails[type]));
}

function tableOf(type: EventType): string {
  const { properties, required } = readSchema(type);
  const rows = Object.entries(properties).map(
    ([name, field]) =>
      `| \`${name}\` | ${kindOf(field)} | ${required.includes(name) ? 'yes' : ''} | ${field.description ?? ''} |`,
  );
  return ['| field | is | always | means |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function kindOf(field: z.infer<typeof property>): string {
  const { type, const: constant, enum: words, format, items } = field;
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``;
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (format === 'date-time') return 'instant';
  if (items !== undefined) return `list of ${items.type === 'string' ? 'texts' : `${items.type}s`}`;
  return [type ?? []].flat().join(' or ').replaceAll('string', 'text');
}
