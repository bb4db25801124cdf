import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { configurationPath, freshConfigurationDocument } from './documents/configuration-document.ts';
import { configurationSections } from './documents/configuration-settings.ts';

test('docs/reference/configuration.md has every setting as its type has it (npm run docs -- configuration)', async () => {
  expect(await readFile(configurationPath, 'utf8')).toBe(await freshConfigurationDocument());
});

const settings = configurationSections().flatMap((section) => section.settings);

test.each(settings.map((setting) => [setting.path, setting] as const))('%s says what it does', (_path, setting) => {
  expect(setting.doc).not.toBe('');
});

test('each setting that may be left out says what holds then', () => {
  expect(settings.filter((setting) => !setting.isRequired && setting.default === undefined)).toEqual([]);
});
