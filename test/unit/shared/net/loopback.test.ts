import { expect, test } from 'vitest';
import { isLoopback, isLoopbackUrl } from '#shared/net/loopback.ts';

test.each([
  ['http://127.0.0.1:4566', true],
  ['http://[::1]:1', true],
  ['http://localhost', true],
  ['http://127.0.0.1@example.com', false],
  ['ftp://127.0.0.1', false],
  ['127.0.0.1:4566', false],
])('%s is this machine: %s', (address, expected) => {
  expect(isLoopbackUrl(address)).toBe(expected);
});

test.each([
  ['localhost', true],
  ['[::1]', true],
  ['127.255.0.1', true],
  ['localhost.example.com', false],
  ['127.0.0.1.example.com', false],
  ['[::2]', false],
])('host %s is this machine: %s', (hostname, expected) => {
  expect(isLoopback(hostname)).toBe(expected);
});
