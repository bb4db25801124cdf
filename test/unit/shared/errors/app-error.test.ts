import { describe, expect, it } from 'vitest';
import { toError } from '#shared/errors/app-error.ts';

describe('toError', () => {
  it('leaves an Error as it is', () => {
    const error = new TypeError('bad');

    expect(toError(error)).toBe(error);
  });

  it.each([['text'], [undefined], [null], [42], [{ toString: null }], [Symbol('s')], [Object.create(null)]])(
    'makes an Error of %o',
    (thrown) => {
      expect(toError(thrown)).toBeInstanceOf(Error);
    },
  );
});
