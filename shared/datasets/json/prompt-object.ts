import { jsonIn } from '../../text/json-in.ts';
import { columnName, type KnownColumns } from '../columns/column-mapping.ts';
import { breaksIn, mostColumns, mostRecordBytes } from '../file/dataset-form.ts';
import { jsonMistake } from './json-mistakes.ts';
import { readLabelsInWords } from '../columns/label-words.ts';

/** What a value of JSON says of a prompt. */
export type PromptValue =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'object' | 'other';
      readonly problem: string;
      /** The problem is about the label. */
      readonly isLabel?: boolean;
      /** Line breaks above what is wrong. */
      readonly lines?: number;
      readonly cells: Cells;
    }
  | {
      readonly kind: 'object';
      readonly problem?: undefined;
      readonly prompt: string;
      /** Absent if no label is wanted. */
      readonly label?: string;
      readonly others: readonly string[];
      readonly cells: Cells;
    };

type Cells = readonly (readonly [name: string, text: string])[];

/** Reads a value of JSON Lines or of a JSON array. */
export function readPromptObject(json: string, wanted: KnownColumns): PromptValue {
  const value = unwrapped(jsonIn(json), wanted);
  if (typeof value === 'string') return { kind: 'text', text: value };
  if (!isObject(value)) return { kind: 'other', ...whyNone(json, value), cells: [] };
  const fields = Object.entries(value).map(([name, content]: [string, unknown]) => ({ name, content }));
  const cells = fields.map(
    ({ name, content }) => [columnName(name), isScalar(content) ? String(content) : '…'] as const,
  );
  const names = [wanted.prompt, ...(wanted.label === undefined ? [] : [wanted.label])];
  const problem = fieldsProblem(cells, names);
  if (problem !== undefined) return { kind: 'object', problem, cells };
  const contentOf = (column: string | undefined) => fields.find(({ name }) => columnName(name) === column)?.content;
  const [prompt, label] = [contentOf(wanted.prompt), contentOf(wanted.label)];
  if (typeof prompt !== 'string' || !prompt.isWellFormed()) {
    const says = typeof prompt === 'string' ? 'the prompt holds half a character' : 'the prompt is no text';
    return { kind: 'object', problem: says, cells };
  }
  if (wanted.label !== undefined && !isScalar(label))
    return { kind: 'object', problem: `the label is not ${readLabelsInWords}`, isLabel: true, cells };
  const others = fields.filter(({ name }) => !names.includes(columnName(name))).map(({ name }) => name);
  return { kind: 'object', prompt, label: isScalar(label) ? String(label) : undefined, others, cells };
}

function fieldsProblem(cells: Cells, names: readonly string[]): string | undefined {
  if (cells.length > mostColumns) return `it has ${cells.length} fields, and ${mostColumns} is the most`;
  const found = names.map((name) => ({ name, count: cells.filter(([column]) => column === name).length }));
  const bad = found.find(({ count }) => count !== 1);
  if (bad === undefined) return undefined;
  return bad.count === 0 ? missingField(bad.name) : `it has more than one field ${bad.name}`;
}

/** What is wrong with an object that has no such field. */
export function missingField(name: string): string {
  return `it has no field ${name}`;
}

/** What is no object at all, or no JSON. */
function whyNone(json: string, value: unknown): { readonly problem: string; readonly lines?: number } {
  const mistake = value === undefined ? jsonMistake(json) : undefined;
  if (Array.isArray(value)) return { problem: 'it is a list, not an object: write {"prompt": …, "label": …}' };
  if (mistake === undefined) return { problem: 'it is no JSON object on one line' };
  return { problem: mistake.says, lines: breaksIn(json.slice(0, mistake.at)) };
}

/**
 * Why a value is no row of a set; `undefined`: it is one, though it may have a problem.
 * @param hasManyFields - those before it have more fields than a table
 */
export function whyNoRow(found: PromptValue, hasManyFields: boolean): string | undefined {
  if (found.kind === 'other') return 'no JSON';
  return hasManyFields && found.kind === 'object' && found.problem !== undefined
    ? 'objects with fields of their own'
    : undefined;
}

/** Some sets wrap each row in an object with its number. */
function unwrapped(value: unknown, { prompt }: KnownColumns): unknown {
  if (!isObject(value) || !('row' in value) || !isObject(value.row)) return value;
  return hasField(value, prompt) ? value : value.row;
}

function hasField(value: object, column: string): boolean {
  return Object.keys(value).some((name) => columnName(name) === column);
}

/** Says whether a text is an object with a field of such a name. */
export function hasColumn(json: string, column: string): boolean {
  if (json.length > mostRecordBytes) return false;
  const value = jsonIn(json);
  return isObject(value) && hasField(value, column);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
