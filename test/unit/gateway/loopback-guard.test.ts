import { expect, test } from 'vitest';
import { isOwnAddress } from '#gateway/control/control-routes.ts';

test.each(['127.0.0.1', '127.1.2.3', '::1', '[::1]', '::ffff:127.0.0.1', 'localhost', 'LOCALHOST'])(
  '%s is this machine',
  (address) => {
    expect(isOwnAddress(address)).toBe(true);
  },
);

test.each([
  '',
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '128.0.0.1',
  '::ffff:10.0.0.1',
  '127',
])('%s is not', (address) => {
  expect(isOwnAddress(address)).toBe(false);
});
