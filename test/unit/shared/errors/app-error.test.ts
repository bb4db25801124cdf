import { describe, expect, it } from 'vitest';
import { AppError, toError } from '#shared/errors/app-error.ts';

describe('AppError', () => {
  it('carries its code, whether it may be retried, and its cause', () => {
    const cause = new Error('socket closed');

    const error = new AppError('could not read the run', { code: 'RUN_READ', retryable: true, cause });

    expect(error).toMatchObject({ code: 'RUN_READ', retryable: true, cause, message: 'could not read the run' });
    expect(error).toBeInstanceOf(Error);
  });

  it('has no cause if none was given', () => {
    expect('cause' in new AppError('no', { code: 'NO', retryable: false })).toBe(false);
  });
});

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
