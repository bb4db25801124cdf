import { expect, test } from 'vitest';
import { foreignRequest } from '#local/aws/wire/serve.ts';

test.each([['127.0.0.1:4566'], ['localhost'], ['[::1]:80']])('lets clients in that call it %s', (host) => {
  expect(foreignRequest({ host })).toBeUndefined();
});

test('turns away a name that only resolves to this machine', () => {
  expect(foreignRequest({ host: 'evil.example:4566' })).toContain('not to evil.example:4566');
});

test.each([['cross-site'], ['same-site'], ['same-origin']])(
  'turns away every page, also one that was uploaded here: %s',
  (site) => {
    expect(foreignRequest({ host: '127.0.0.1:4566', 'sec-fetch-site': site })).toContain('web pages');
  },
);

test('turns away a page in a browser that names only its origin', () => {
  expect(foreignRequest({ host: '127.0.0.1:4566', origin: 'https://evil.example' })).toContain('web pages');
});
