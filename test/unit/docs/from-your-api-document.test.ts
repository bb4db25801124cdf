import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configurationSections } from './documents/configuration-settings.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/from-your-api-document.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.slice(1, -1).split('|'));
const settings = new Map(
  configurationSections()
    .flatMap((section) => section.settings)
    .map((setting) => [setting.path, setting]),
);

/** Settings of the gateway that a row names, with what the row says of their default. */
const named = rows.flatMap(([, write = '', byDefault = '']) =>
  [...write.matchAll(/`(gateway\.[\w.]+)`/g)].map(([, path = '']) => ({ path, byDefault })),
);

/** Settings that no API document answers. */
const ofTheNetwork = new Set(['gateway.baseUrl', 'gateway.caBundle', 'gateway.proxy']);

test('its table names each setting of the gateway that an API document answers, and no other', () => {
  const paths = [...settings.values()]
    .filter(({ path, kind }) => path.startsWith('gateway.') && kind === 'value' && !ofTheNetwork.has(path))
    .map(({ path }) => path.replace(/^(gateway\.requestsPerSecond)\..*/, '$1'));

  expect(named.map(({ path }) => path).toSorted()).toEqual([...new Set(paths)].toSorted());
});

test('its table says the default of each of them', () => {
  const literals = named.flatMap(({ path, byDefault }) => {
    const [literal] = /^(?:'[^']+'|true|false|[\d.]+)$/.exec(settings.get(path)?.default ?? '') ?? [];
    return literal === undefined ? [] : [{ path, literal, byDefault }];
  });

  expect(literals.length).toBeGreaterThan(2);
  expect(literals.filter(({ literal, byDefault }) => !byDefault.includes(`\`${literal}\``))).toEqual([]);
});
