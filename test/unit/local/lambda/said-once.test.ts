import { expect, test } from 'vitest';

import { sayOnce } from '#local/lambda/mapping/handle-batch.ts';

test('a problem is said once, again when it changes, and when it is over', () => {
  const lines: string[] = [];
  const say = sayOnce('Mapping', (line) => lines.push(line));

  say.fine('receive');
  for (let i = 0; i < 3; i += 1) say.problem('receive', new TypeError('no grant'));
  say.problem('receive', 'another');
  say.fine('receive');
  say.fine('receive');

  expect(lines).toEqual([
    'Mapping, receive: TypeError: no grant',
    'Mapping, receive: another',
    'Mapping, receive: works again.',
  ]);
});
