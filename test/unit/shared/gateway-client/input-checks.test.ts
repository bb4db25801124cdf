import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { MalformedTokenError } from '#shared/gateway-client/index.ts';
import {
  assertBearerToken,
  headerText,
  instantText,
  pathValue,
  queryString,
  utcInstantText,
  uuidPathValue,
} from '#shared/gateway-client/operation.ts';

describe('instants', () => {
  it.each([
    ['2026-11-20T22:00:00Z', '2026-11-20T22:00:00Z'],
    ['2025-07-30T14:53:13.900184Z', '2025-07-30T14:53:13.900184Z'],
    ['2026-11-20T22:00:00+01:00', '2026-11-20T21:00:00.000Z'],
    ['2026-11-20T22:00-05:30', '2026-11-21T03:30:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z'],
  ])('takes %s and sends %s', (given, sent) => {
    expect(instantText('at', given)).toBe(given);
    expect(utcInstantText('at', given)).toBe(sent);
  });

  it.each([
    '2026-11-20T22:00:00',
    '2026-11-20',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-20T25:00:00Z',
    '22:00',
    'tomorrow',
    '',
  ])('refuses %o', (given) => {
    expect(() => instantText('at', given)).toThrow(/Z or an offset/);
  });
});

describe('path values', () => {
  it.each(['', ' ', '.', '..', '\uD800'])('refuses the name %o', (name) => {
    expect(() => pathValue('project', name)).toThrow(/^project /);
  });

  it.each(['', 'abc', '../../x', '0190a5c2-7c1e-7a3b-9d4e-1f2a3b4c5d6', '0190a5c2-7c1e-7a3b-9d4e-1f2a3b4c5d6e\n'])(
    'takes %o for no uuid',
    (id) => {
      expect(() => uuidPathValue('campaignId', id)).toThrow('campaignId must be a uuid');
    },
  );

  it.each(['a\r\nx-evil: 1', 'a b', '', 'ü', 'x'.repeat(256)])('lets %o into no header', (value) => {
    expect(() => headerText('requestId', value)).toThrow(/visible ASCII/);
  });
});

describe('queryString', () => {
  it('repeats lists, encodes both sides and leaves out what is undefined', () => {
    const query = queryString({
      packageId: ['a', 'b&c'],
      search: 'ü +',
      cursor: undefined,
      ascending: false,
      limit: 5,
    });

    expect(query).toBe('?packageId=a&packageId=b%26c&search=%C3%BC%20%2B&ascending=false&limit=5');
    expect(queryString({ cursor: undefined })).toBe('');
  });
});

describe('assertBearerToken', () => {
  it('takes what real tokens are made of', () => {
    expect(() => assertBearerToken('eyJhbGciOi.J9-_~+/==')).not.toThrow();
  });

  it.each([
    '',
    'canary\n',
    'canary\r\nx: y',
    'Bearer canary',
    'can ary',
    'canary\u0000',
    'canaryü',
    `canary${'x'.repeat(8192)}`,
    42,
    undefined,
  ])('refuses %o without showing it', (token) => {
    let thrown: unknown;
    try {
      assertBearerToken(token);
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toBeInstanceOf(MalformedTokenError);
    expect(inspect(thrown, { depth: null })).not.toMatch(/canary|can ary/);
  });
});
