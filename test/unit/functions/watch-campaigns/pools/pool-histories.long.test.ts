/** Each short history of the filler without a fault. */
import { expect, test } from 'vitest';
import { acts, begins, broken, type History } from './histories.ts';

const effects = [0, 1, 2, 3, 4, 5, 6];
const histories = begins.flatMap((before) =>
  acts.flatMap((first) =>
    [undefined, ...acts].flatMap((other) =>
      [false, true].flatMap((dies) =>
        effects.map((atEffect): History => ({ before, first, other, dies, atEffect, faults: [] })),
      ),
    ),
  ),
);

test('no history of two at once, or of a death, breaks a sentence of the design', async () => {
  for (const history of histories)
    expect({ ...history, says: await broken(history) }).toEqual({ ...history, says: [] });
});
