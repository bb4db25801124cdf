import { describe, expect, it } from 'vitest';
import { lostAnswers, measure, type Place, places, type Trouble, troubles } from './measure.ts';

const seeds = 25;
const placeNames = Object.keys(places) as readonly Place[];
const everywhere = placeNames.flatMap((place) => troubles.map((trouble) => ({ place, trouble })));
const isLost = ({ trouble }: { readonly trouble: Trouble }) => lostAnswers.includes(trouble);
const isByInstant = ({ place }: { readonly place: Place }) => !place.includes('word');

describe('a start at a bad hour', () => {
  it.each(everywhere.filter(isLost))(
    'I3: needs no person because an answer was lost: $trouble, at a gateway that starts by $place',
    async ({ place, trouble }) => {
      const { count, faults } = await measure(trouble, { place, seeds });

      expect(faults).toEqual([]);
      expect(count['needs a person']).toBe(0);
    },
  );

  it.each(everywhere.filter(isLost).filter(isByInstant))(
    'I3: runs to its planned stop all the same: $trouble, at a gateway that starts by $place',
    async ({ place, trouble }) => {
      const { count } = await measure(trouble, { place, seeds: 5 });

      expect(count['in time'] + count.late + count.unconfirmed).toBe(5);
    },
  );

  it.each(everywhere.filter((one) => !isLost(one)))(
    'I2, I4: keeps every promise: $trouble, at a gateway that starts by $place',
    async ({ place, trouble }) => {
      const { faults } = await measure(trouble, { place, seeds });

      expect(faults).toEqual([]);
    },
  );
});
