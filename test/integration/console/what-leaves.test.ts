import { beforeAll, describe, expect, test } from 'vitest';
import { exampleAnswers } from './harness/example-answers.ts';

/** Values with keys of others: a configuration, the body of a request. */
const open = new Set(['config', 'fields', 'lists', 'body']);

/** Each field by its path: an element of a list is `[]`. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((element) => fieldsOf(element, `${path}[]`));
  if (typeof value !== 'object' || value === null || open.has(path.split('.').at(-1) ?? '')) return [path];
  return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, path === '' ? name : `${path}.${name}`));
}

describe('what leaves', () => {
  let asked: Awaited<ReturnType<typeof exampleAnswers>>;
  beforeAll(async () => {
    asked = await exampleAnswers();
  });

  test('is an answer of a route in this list', () => {
    const others = ['POST /api/session', 'GET /api/live'];
    const served = asked.served
      .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
      .map(({ method, path }) => `${method} ${path}`);

    expect(served.toSorted()).toEqual([...others, ...Object.keys(asked.answers)].toSorted());
  });

  // A field that a later version gives a row of the ledger would go to the browser unseen.
  test('is each field that the list of fields names, and no other', async () => {
    const lines = Object.entries(asked.answers).flatMap(([route, answer]) => [
      route,
      ...[...new Set(fieldsOf(answer))].toSorted().map((field) => `  ${field}`),
      '',
    ]);

    await expect(lines.join('\n')).toMatchFileSnapshot('what-leaves.txt');
  });
});
