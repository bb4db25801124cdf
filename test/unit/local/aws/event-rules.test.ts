import { describe, expect, test } from 'vitest';
import { compileEventPattern, compileInputTransformer } from '#local/aws/events/rules.ts';
import type { Json, JsonObject } from '#local/template/json.ts';
import { transformerRow } from '#local/template/resource-properties.ts';

const parked: JsonObject = { source: 'autopilot', detail: { outcome: 'parked', tries: 3, tags: ['a', 'b'] } };
const matches = (pattern: JsonObject): boolean => compileEventPattern(pattern, 'rule')(parked);
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

const event = { 'detail-type': 'WorkParked', detail: { run: 'nightly', count: 2, said: 'say "no"', ids: ['a'] } };

describe('an input transformer', () => {
  test('puts what the event has into lines of text', () => {
    const transform = compileInputTransformer({
      InputPathsMap: { type: '$.detail-type', run: '$.detail.run', count: '$.detail.count', said: '$.detail.said' },
      InputTemplate: '"<type>: <run>"\n"<count> times, <said>"',
    });

    // "Amazon EventBridge input transformation" (EventBridge User Guide): values are not escaped.
    // They used to be here.
    expect(transform(event)).toBe('"WorkParked: nightly"\n"2 times, say "no""');
  });

  test('puts values into JSON as JSON', () => {
    const transform = compileInputTransformer({
      InputPathsMap: { run: '$.detail.run', ids: '$.detail.ids' },
      InputTemplate: '{"run": <run>, "text": "of <run>", "ids": <ids>}',
    });

    expect(JSON.parse(transform(event))).toEqual({ run: 'nightly', text: 'of nightly', ids: ['a'] });
  });

  test('leaves the place of what the event does not have empty, and what is no variable as it is', () => {
    const transform = compileInputTransformer({
      InputPathsMap: { key: '$.detail.key', deep: '$.detail.run.name' },
      InputTemplate: '"<key><deep>, <other>"',
    });

    expect(transform(event)).toBe('", <other>"');
  });

  test.each([
    { InputPathsMap: { first: '$.resources[0]' }, InputTemplate: '"<first>"' },
    { InputPathsMap: {}, InputTemplate: '"<aws.events.rule-arn>"' },
  ])('that EventBridge alone can follow is refused: %j', (transformer) => {
    expect(transformerRow.safeParse(transformer).success).toBe(false);
  });
});
