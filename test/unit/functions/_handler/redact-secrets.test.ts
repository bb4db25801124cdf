import { expect, test } from 'vitest';
import { createSecretsRedactor } from '#functions/_handler/handlers.ts';

test('takes every secret out of a text, wherever it stands, also one that is known only later', () => {
  const secrets = new Set(['first-token']);
  const redact = createSecretsRedactor(secrets);
  secrets.add('second-token');

  expect(redact('first-token, second-token and first-token again')).toBe('***, *** and *** again');
});

test('an empty secret leaves a text as it is', () => {
  expect(createSecretsRedactor(new Set(['']))('nothing to hide')).toBe('nothing to hide');
});
