import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One setting of the configuration, as its type and its doc comment have it. */
export interface Setting {
  /** From the root: `campaigns.*.runs.*.stopAfter`, `schedules[].at`. */
  readonly path: string;
  /** From the interface that has it: `stopAfter`, `match.kind`. */
  readonly key: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly doc: string;
  /** The text of `@default`. */
  readonly default: string | undefined;
  /** `group` and `section` only hold other settings. */
  readonly kind: 'value' | 'group' | 'section';
}

/** One interface of the configuration: where it stands, and its settings. */
export interface Section {
  readonly path: string;
  readonly doc: string;
  readonly settings: readonly Setting[];
}

interface Member {
  readonly key: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly comment: string;
}

const root = join(import.meta.dirname, '..', '..', '..', '..');
const source = ['automation', 'dataset-rule-document', 'deployment']
  .map((file) => readFileSync(join(root, 'shared', 'config', `${file}.ts`), 'utf8'))
  .join('\n');

/**
 * The interfaces of the configuration by name; types have no value at run time, so their source is
 * read.
 */
const interfaces = new Map(
  [...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport interface (\w+) \{\n([\s\S]*?)\n\}/g)].map(
    ([, comment = '', name = '', body = '']) => [name, { comment, body }],
  ),
);

/**
 * Every section of a stage's document, the root first, in the order in which the types name them.
 */
export function configurationSections(name = 'AutomationDocument', path = ''): readonly Section[] {
  const { comment = '', body = '' } = interfaces.get(name) ?? {};
  const settings = settingsIn(body, path === '' ? '' : `${path}.`, '');
  const below = settings.filter(({ kind }) => kind === 'section');
  return [
    { path, doc: proseOf(comment), settings },
    ...below.flatMap((section) => configurationSections(elementOf(section.type), section.path)),
  ];
}

/** Every setting that has a value of its own. */
export function configurationSettings(): readonly Setting[] {
  return configurationSections().flatMap(({ settings }) => settings.filter(({ kind }) => kind === 'value'));
}

function settingsIn(body: string, path: string, prefix: string): Setting[] {
  return membersOf(body).flatMap(({ key: name, type, isRequired, comment }): Setting[] => {
    const key = `${prefix}${name}`;
    const same = { key, type, isRequired, doc: proseOf(comment), default: defaultOf(comment) };
    if (type.startsWith('{')) {
      const inner = settingsIn(type.slice(1, -1), path, `${key}.`);
      return [{ ...same, path: `${path}${key}`, type: 'group', kind: 'group' }, ...inner];
    }
    if (!interfaces.has(elementOf(type))) return [{ ...same, path: `${path}${key}`, kind: 'value' }];
    const many = type.startsWith('readonly') ? '[]' : type.startsWith('Readonly<Record') ? '.*' : '';
    return [{ ...same, path: `${path}${key}${many}`, kind: 'section' }];
  });
}

/** What a list or a record is of; any other type is its own. */
function elementOf(type: string): string {
  return type.replace(/^readonly (\w+)\[\]$/, '$1').replace(/^Readonly<Record<string, (\w+)>>$/, '$1');
}

/** The members of an interface's body; an inline object is one type. */
function membersOf(body: string): Member[] {
  const members: Member[] = [];
  let rest = body.trim();
  while (rest !== '') {
    const head = /^(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?readonly (\w+)(\??): /.exec(rest);
    if (head === null) throw new Error(`this is no setting: ${rest.slice(0, 80)}`);
    const [text, comment = '', key = '', optional = ''] = head;
    const end = endOfType(rest, text.length);
    members.push({ key, type: rest.slice(text.length, end).trim(), isRequired: optional === '', comment });
    rest = rest.slice(end + 1).trim();
  }
  return members;
}

function endOfType(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '{') depth += 1;
    if (sign === '}') depth -= 1;
    if (depth === 0 && sign === ';') return at;
  }
  return text.length;
}

/** A comment without its stars and its tags. */
function proseOf(comment: string): string {
  return plain(comment.split(/\s@(?:default|example)\b/)[0] ?? '');
}

function defaultOf(comment: string): string | undefined {
  const [, text] = /\s@default\s([\s\S]*)/.exec(comment) ?? [];
  return text === undefined ? undefined : plain(text);
}

function plain(text: string): string {
  return text
    .replaceAll(/\n\s*\* ?/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
