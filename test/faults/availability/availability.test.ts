import { describe, expect, it } from 'vitest';
import { measure, troubles } from './measure.ts';

const seeds = 40;
const bothLost = 'the first reading and the answer are both lost';

describe('a start at a bad hour', () => {
  it.each(troubles.filter((trouble) => trouble !== bothLost))(
    'I3: needs no person with `confirm`: %s',
    async (trouble) => {
      const { count, faults } = await measure(trouble, { confirm: true, seeds });

      expect(faults).toEqual([]);
      expect(count['needs a person']).toBe(0);
      expect(count['in time'] + count.late).toBe(seeds);
    },
  );

  it('I3: needs a person if the first reading and the answer are both lost', async () => {
    const { count, faults } = await measure(bothLost, { confirm: true, seeds });

    expect(faults).toEqual([]);
    expect(count['needs a person']).toBe(seeds);
  });

  it.each(troubles)('I2, I4: keeps every promise without `confirm`: %s', async (trouble) => {
    const { faults } = await measure(trouble, { confirm: false, seeds });

    expect(faults).toEqual([]);
  });
});
