import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RecordResult } from '#functions/_handler/queue-record.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { createUploadBench, eventOf } from '../../unit/functions/register-datasets/upload-bench.ts';
import {
  smokeId,
  aCommand,
  createUpdateBench,
} from '../../unit/functions/update-campaign-runs/harness/update-bench.ts';
import { propertyRuns } from '../../builders/property-runs.ts';
import { anyCharacter } from '../../builders/hostile-texts.ts';

/** A worker of its own for one message: delivers it, and shows what it wrote. */
interface Worker {
  readonly deliver: (body: string) => Promise<RecordResult>;
  readonly rows: () => readonly Stored[];
}

const upload = { key: 'datasets/pii/names.csv', versionId: 'v1' };

/** Each worker of a queue with a message that it takes. */
const workers: Readonly<Record<string, { readonly start: () => Worker; readonly good: string }>> = {
  'update-campaign-runs': {
    start: () => {
      const bench = createUpdateBench();
      return { deliver: (body) => bench.deliver(body), rows: () => bench.ledger.all() };
    },
    good: JSON.stringify(aCommand({ stopAfter: 'PT1H', reason: 'nightly' })),
  },
  'register-datasets': {
    start: () => {
      const bench = createUploadBench();
      bench.put(upload);
      return { deliver: (body) => bench.deliver(body), rows: () => bench.ledger.all() };
    },
    good: eventOf(upload),
  },
};

/** The most that a queue takes. */
const most = 65_536;
const deep = '['.repeat(most / 2) + ']'.repeat(most / 2);
const inField = '['.repeat(15_000) + ']'.repeat(15_000);
const unreadable: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['no JSON', 'start the smoke run, please'],
  ['another shape', '{"action":"start"}'],
  ['a list', '[]'],
  ['64 kB of text', 'x'.repeat(most)],
  ['64 kB of quotes', '"'.repeat(most)],
  ['64 kB in the name of one field', JSON.stringify({ ['x'.repeat(most - 8)]: 1 })],
  ['64 kB in a text', JSON.stringify({ text: 'x'.repeat(most - 11) })],
  ['nesting, 64 kB of it', deep],
  ['nesting inside a field', `{"Records":[${inField}],"version":1,"id":${inField}}`],
  ['__proto__ for its shape', '{"__proto__":{"version":1,"Records":[]},"constructor":{"prototype":{"polluted":1}}}'],
];

describe.each(Object.entries(workers))('[C9] %s', (_name, { start, good }) => {
  test.each(unreadable)('parks a message of %s, once', async (_what, body) => {
    const worker = start();

    const results = [await worker.deliver(body), await worker.deliver(body)];

    expect(results[0]).toMatchObject({ kind: 'done', outcomes: [{ kind: 'parked', reason: 'BAD_MESSAGE' }] });
    const parkedRows = worker.rows().filter(({ openState }) => openState === 'PARKED');
    expect(parkedRows.length).toBeGreaterThanOrEqual(1);
    expect(parkedRows[0]).toMatchObject({ parked: { message: body } });
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  test('ends any damaged message with an outcome, and a reason if it is parked', async () => {
    await expect(start().deliver(good)).resolves.toMatchObject({ kind: 'done' });
    await fc.assert(
      fc.asyncProperty(fc.oneof(damagedDocument(good), damagedText(good)), async (body) => {
        const { deliver } = start();

        const result = await deliver(body);

        expect(result.kind).toBe('done');
        expect(result.outcomes?.length).toBeGreaterThan(0);
        for (const { kind, reason } of result.outcomes ?? []) {
          expect(kind === 'parked' ? reason : kind).toMatch(/^(?:[A-Z_]+|applied|skipped|ignored|superseded)$/);
        }
        expect(Object.prototype).not.toHaveProperty('polluted');
      }),
      propertyRuns(200),
    );
  });
});

/** What is not expected in a field. */
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom<unknown>(
    null,
    '',
    -1,
    1e308,
    2 ** 53,
    '\u0000',
    '\ud800',
    '%zz',
    '__proto__',
    'x'.repeat(5000),
    JSON.parse('{"__proto__":{"polluted":1}}'),
    '9999-12-31T23:59:59Z',
    'P999999999D',
    smokeId.toUpperCase(),
  ),
);

/**
 * The document with up to three places changed: replaced, removed, wrapped, or given one field
 * more.
 */
function damagedDocument(text: string): fc.Arbitrary<string> {
  const damage = fc.record({
    at: fc.nat(1000),
    how: fc.constantFrom('replace', 'remove', 'wrap', 'add'),
    value: odd,
    name: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'key', 'id', 'Event')),
  });
  return fc.array(damage, { minLength: 1, maxLength: 3 }).map((damages) => {
    const document: unknown = JSON.parse(text);
    for (const { at, how, value: drawn, name } of damages) {
      const value: unknown = structuredClone(drawn); // each its own: no document holds itself
      const places = placesIn(document);
      const place = places[at % places.length];
      if (place === undefined) continue;
      const { holder, key } = place;
      if (how === 'remove') delete holder[key];
      else if (how === 'replace') define(holder, key, value);
      else if (how === 'wrap') define(holder, key, [holder[key]]);
      else define(holder, Array.isArray(holder) ? '0' : name, value);
    }
    return JSON.stringify(document);
  });
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

/** An own field, also if it is called `__proto__`. */
function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}

/** The text with something cut out of it and something put in. */
function damagedText(text: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.nat(text.length), fc.nat(20), fc.string({ unit: anyCharacter, maxLength: 10 }))
    .map(([at, cut, added]) => text.slice(0, at) + added + text.slice(at + cut));
}
