import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isSurelyPage,
  scannerPackagesSchema,
  scannerPackagesType,
} from '#shared/gateway-client/endpoints/scanner-packages.ts';
import { schemaOf } from '#shared/gateway-client/endpoints/schema.ts';
import { packagesPage } from '../../../bench/responder/packages-page.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

/** A value of any kind that JSON has, of the kinds that the fields have more often than others. */
const anything = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(null, undefined, '', 'text', true, 7, Infinity, [], ['a'], [1], {}) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      { type: 'vendor' },
      { type: 1 },
      { global: 1 },
      { global: true, projectIds: 'x' },
      { a: 1 },
      { a: {} },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const fields =
  'id name direction projectId availableUpdate availability scannerCounts scannerIds shared source vendored other __proto__'.split(
    ' ',
  );
const good = { id: 'p1', name: 'one', source: { type: 'vendor' }, scannerIds: ['s1'] };
const listed = fc
  .array(fc.tuple(fc.constantFrom(...fields), anything), { maxLength: 3 })
  .map((changed) => Object.fromEntries([...Object.entries(good), ...changed]));
const cursor = fc.constantFrom(null, undefined, '', 'c1', 7, null, 'c2', Infinity, {});
const body = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record(
      { packages: fc.array(listed, { maxLength: 2 }), next: cursor, prev: cursor },
      { requiredKeys: ['packages'], noNullPrototype: true },
    ),
  },
  { weight: 1, arbitrary: anything },
);

test('what is surely a page is one by the schema, which drops and changes nothing of it', () => {
  const schema = schemaOf(scannerPackagesType);
  let sure = 0;
  fc.assert(
    fc.property(body, (input) => {
      if (!isSurelyPage(input)) return;
      sure += 1;
      expect(schema.parse(input, Buffer.alloc(0))).toStrictEqual({ value: input });
    }),
    { numRuns: propertyRuns(3000), seed: 20_261_122 },
  );
  expect(sure).toBeGreaterThan(300);
});

test('a page with all fields of the interface is surely one', () => {
  expect(isSurelyPage(JSON.parse(packagesPage(new URL('http://gateway/?cursor=3')).toString()))).toBe(true);
});

test.each([
  ['no object', []],
  ['no list', { packages: {} }],
  ['a package without an id', { packages: [{ id: '' }] }],
  ['a package that is none', { packages: [null] }],
])('%s is left to the schema, which says what is wrong with it', (_what, input) => {
  expect(isSurelyPage(input)).toBe(false);
  expect(scannerPackagesSchema.parse(input, Buffer.alloc(0))).toHaveProperty('problems');
});
