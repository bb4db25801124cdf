import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceBetween } from './between-marks.ts';
import { configurationSections, type Section, type Setting } from './configuration-settings.ts';

/** The document whose lists are made from the types of the configuration. */
export const configurationPath = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  '..',
  'docs',
  'reference',
  'configuration.md',
);

/**
 * The document as it should be: its own introduction, and a list for each section of the
 * configuration.
 */
export async function freshConfigurationDocument(): Promise<string> {
  const document = await readFile(configurationPath, 'utf8');
  const part = { name: 'settings', command: 'npm run docs -- configuration' };
  return replaceBetween(document, part, configurationSections().map(textOf).join('\n'));
}

function textOf({ path, doc, settings }: Section): string {
  return [
    `## ${path === '' ? 'A stage' : `\`${path}\``}`,
    '',
    ...(path === '' ? [] : [doc, '']),
    ...settings.map(lineOf),
    '',
  ].join('\n');
}

function lineOf(setting: Setting): string {
  const { key, doc, isRequired } = setting;
  const presence = isRequired ? '**required**' : `default: ${setting.default ?? 'unknown'}`;
  const facts = presence === 'default: none' ? typeOf(setting) : `${typeOf(setting)}; ${presence}`;
  return `- \`${key}\` (${facts}): ${doc}`;
}

/** A type in words; a section's is a link to its list. */
function typeOf({ type, kind, path }: Setting): string {
  if (kind === 'section')
    return `[${path.endsWith('[]') ? 'list' : path.endsWith('*') ? 'by name' : 'object'}](#${anchorOf(path)})`;
  if (kind === 'group') return 'object';
  return wordsOf(type);
}

function wordsOf(type: string): string {
  const [, value] = /^Record<string, (.*)>$/.exec(type) ?? [];
  if (value !== undefined) return `by name: ${wordsOf(value)}`;
  return type
    .split(/ \| (?![^(]*\))/)
    .map((one) => {
      const [, element] = /^readonly \(?(.+?)\)?\[\]$/.exec(one) ?? [];
      if (element !== undefined) return `list of ${wordsOf(element).replace(/^(?:text|number)$/, '$&s')}`;
      return /^'.*'$/.test(one) ? `\`${one}\`` : one.replace('string', 'text');
    })
    .join(' or ');
}

/** As GitHub makes it of a heading. */
function anchorOf(path: string): string {
  return path.toLowerCase().replaceAll(/[^a-z0-9-]/g, '');
}
