import { describe, expect, test } from 'vitest';
import { cutInside, oneLine } from '#cli/terminal/output.ts';

const key = `datasets/pii/${'x'.repeat(990)}/customers.csv`;
const rows = [
  ['Mon 22:00', 'parked CHECK_FAILED', key, 'parked 12345678'],
  ['Mon 22:01', 'applied', 'datasets/pii/a.csv', 'dataset 0197f3a0-6a1e-7c44-9d0b-3f2f6f1c2a10'],
];

describe('a list', () => {
  test('cuts a key in the middle, and keeps what follows it', () => {
    const [long = '', short = ''] = oneLine(rows, { width: 120 });

    expect(long).toMatch(/ datasets\/pii\/x+…x*\/customers\.csv {2}parked 12345678$/);
    expect(short).toContain('  datasets/pii/a.csv  ');
  });

  test('in a file has whole keys, and fills up no other row to their length', () => {
    const [long = '', short = ''] = oneLine(rows, {});

    expect(long).toContain(key);
    expect(short.length).toBeLessThan(200);
  });

  test('cuts no character in half', () => {
    expect(cutInside('a'.repeat(5) + '😀'.repeat(10), 9).isWellFormed()).toBe(true);
  });
});
