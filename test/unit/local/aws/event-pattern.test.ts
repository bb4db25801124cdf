import { expect, test } from 'vitest';
import { compileEventPattern } from '#local/aws/events/rules.ts';
import type { Json, JsonObject } from '#local/template/json.ts';

const event: JsonObject = { source: 'autopilot', detail: { outcome: 'parked', tries: 3, tags: ['a', 'b'] } };
const matches = (pattern: JsonObject): boolean => compileEventPattern(pattern, 'rule')(event);
const detail = (field: string, ...matchers: Json[]): JsonObject => ({ detail: { [field]: matchers } });

test.each<[string, JsonObject, boolean]>([
  ['one of several values', { source: ['other', 'autopilot'] }, true],
  ['another value', { source: ['other'] }, false],
  ['all fields at once', { source: ['autopilot'], detail: { outcome: ['applied'] } }, false],
  ['a prefix', detail('outcome', { prefix: 'park' }), true],
  ['a field that exists', detail('outcome', { exists: true }), true],
  ['a field that does not exist', detail('reason', { exists: false }), true],
  ['an item of a list', detail('tags', 'b'), true],
  ['a field below what is no object', { source: { name: ['autopilot'] } }, false],
])('an event pattern knows %s', (_name, pattern, expected) => {
  expect(matches(pattern)).toBe(expected);
});
