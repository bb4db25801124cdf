import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { outcomeEventDetails } from '../../../builders/outcome-events.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import { replaceBetween } from './between-marks.ts';
import { exampleOf } from './event-examples.ts';

/** The document whose tables are made from the schemas. */
export const eventsPath = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'reference', 'events.md');

const command = 'npm run docs -- events';

/**
 * The document as it should be: its own words, the fields that several events share, and the fields
 * and the example of each event.
 */
export async function freshEventsDocument(): Promise<string> {
  const document = await readFile(eventsPath, 'utf8');
  const types = Object.values(eventTypes);
  const shared = sharedLines(types);
  let text = replaceBetween(document, { name: 'shared fields', command }, `${[...shared].join('\n')}\n`);
  for (const type of types) {
    const example = await exampleOf(type);
    const lines = [fieldsText(type, shared), ...(example === undefined ? [] : [example])];
    text = replaceBetween(text, { name: type, command }, lines.join('\n'));
  }
  return text;
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

/** Lines of the fields that are the same in several events. */
function sharedLines(types: readonly EventType[]): ReadonlySet<string> {
  const lines = types.flatMap(linesOf).map(({ line }) => line);
  return new Set(lines.filter((line, index) => lines.indexOf(line) !== index));
}

/** The fields of one event: its shared ones by their names, then its own with their meaning. */
function fieldsText(type: EventType, shared: ReadonlySet<string>): string {
  const fields = linesOf(type);
  const ofShared = fields.filter(({ line }) => shared.has(line));
  const namesOf = (isAlwaysThere: boolean) =>
    ofShared.filter((field) => field.isAlwaysThere === isAlwaysThere).map(({ name }) => `\`${name}\``);
  const always = `Shared fields: ${namesOf(true).join(', ')}`;
  const sometimes = namesOf(false);
  const head = sometimes.length === 0 ? `${always}.` : `${always}; optional: ${sometimes.join(', ')}.`;
  const own = fields
    .filter(({ line }) => !shared.has(line))
    .map(({ line, isAlwaysThere }) => (isAlwaysThere ? line : line.replace(/\)(?=:|$)/, ', optional)')));
  return [head, ...(own.length === 0 ? [] : ['', ...own]), ''].join('\n');
}

function linesOf(type: EventType) {
  const { properties, required } = readSchema(type);
  return Object.entries(properties).map(([name, field]) => {
    const meaning = field.description === undefined ? '' : `: ${field.description}`;
    return { name, isAlwaysThere: required.includes(name), line: `- \`${name}\` (${kindOf(field)})${meaning}` };
  });
}

function kindOf(field: z.infer<typeof property>): string {
  const { type, const: constant, enum: words, format, items } = field;
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``;
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (format === 'date-time') return 'instant';
  if (items !== undefined) return `list of ${items.type === 'string' ? 'texts' : `${items.type}s`}`;
  return [type ?? []].flat().join(' or ').replaceAll('string', 'text');
}
