import { describe, expect, it } from 'vitest';
import { parseBaseUrl } from '#shared/gateway-client/addresses.ts';

describe('parseBaseUrl', () => {
  it.each([
    ['https://gateway.example.com', 'https://gateway.example.com', ''],
    ['https://gateway.example.com/', 'https://gateway.example.com', ''],
    ['https://Gateway.example.com:8443/tenant/a/', 'https://gateway.example.com:8443', '/tenant/a'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010', ''],
    ['http://127.9.8.7', 'http://127.9.8.7', ''],
    ['http://[::1]:4010', 'http://[::1]:4010', ''],
    ['http://localhost:4010', 'http://localhost:4010', ''],
  ])('takes %s', (text, origin, pathPrefix) => {
    expect(parseBaseUrl(text)).toEqual({ ok: true, value: { origin, pathPrefix } });
  });

  it.each([
    'http://gateway.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://128.0.0.1',
    'https://user:secret-word@gateway.example.com',
    'https:user:secret-word@gateway.example.com',
    'https://@gateway.example.com',
    'https://gateway.example.com?secret-word=1',
    'https://gateway.example.com/#',
    'https://gateway.example.com/?',
    String.raw`https:\\gateway.example.com`,
    'https://gateway.example.com/backend/v1',
    'ftp://gateway.example.com',
    'gateway.example.com',
    '',
    ' https://gateway.example.com',
  ])('refuses %s without repeating it', (text) => {
    expect(parseBaseUrl(text)).toEqual({ ok: false, problem: expect.not.stringContaining('secret-word') });
  });
});
