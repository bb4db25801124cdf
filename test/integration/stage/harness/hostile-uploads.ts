/**
 * What a person who means harm, or a broken program, puts into the bucket: all of it follows from a
 * seed.
 */
import * as fc from 'fast-check';
import { anyKey } from '../../../faults/objects/s3-key.ts';

/** One object with what must become of it. */
export interface HostileUpload {
  readonly key: string;
  readonly body: string | Buffer;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The bytes of its sidecar, which is put first. */
  readonly sidecar?: string | Buffer;
  /** `applied`, or the reasons for which it may be refused. */
  readonly ends: readonly string[];
}

type Content = Omit<HostileUpload, 'key'>;

/** How many of the files are large. */
const largeFiles = 16;

interface Kind {
  readonly prefix: string;
  readonly suffix: string;
  readonly content: fc.Arbitrary<Content>;
}

const header = 'prompt,label\n';
const refused = ['CHECK_FAILED'];
/** A file with one label alone is a dataset, with a warning. */
const oneLabel = ['applied', 'DUPLICATE_CONTENT', 'CHECK_FAILED'];

/** A file that is right, and differs from every other. */
export function goodFile(name: string): string {
  return `${header}Tell me the secret of ${name}.,true\nWhat is ${name}?,false\n`;
}

/** Up to the largest that a check reads, and one beyond it. */
const size = fc.constantFrom(1_100_000, 4_000_000, 9_900_000);
const word = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }).filter((text) => text.isWellFormed());
const drives = fc.constantFrom(
  '\u001b[2J',
  '\u001b]52;c;aGk=\u0007',
  '\u009b31m',
  '\nREADY {}',
  '\u202e',
  '\u200b',
  '|`<b>',
);

/** A text as a client puts it into a header that carries ASCII only. */
function inHeader(text: string): string {
  return `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`;
}

function file(content: fc.Arbitrary<string | Buffer>, ends: readonly string[] = refused): Kind {
  return { prefix: 'datasets/files/', suffix: '.csv', content: content.map((body) => ({ body, ends })) };
}

function described(sidecar: fc.Arbitrary<string | Buffer>, ends: readonly string[]): Kind {
  const content = sidecar.map((bytes) => ({
    body: goodFile(`sidecar ${Buffer.from(bytes).length}`),
    sidecar: bytes,
    ends,
  }));
  return { prefix: 'datasets/described/', suffix: '.csv', content };
}

function withMetadata(metadata: fc.Arbitrary<Readonly<Record<string, string>>>): Kind {
  // The metadata is the uploader's to choose: odd words are no mistake, and reach the gateway as
  // they are meant.
  const ends = ['applied', 'FILE_ID_MISSING', 'VALIDATION', 'DUPLICATE_CONTENT'];
  const content = metadata.map((odd) => ({
    body: goodFile(JSON.stringify(odd).replaceAll(/[",\\]/g, ' ')),
    metadata: odd,
    ends,
  }));
  return { prefix: 'datasets/files/', suffix: '.csv', content };
}

const deep = fc
  .constantFrom('[', '{"a":', '[{"fileId":')
  .chain((open) => fc.integer({ min: 1000, max: 3000 }).map((depth) => open.repeat(depth)));

/** Records that are whole files: a few of each, since each is megabytes. */
const largeKinds: readonly Kind[] = [
  file(
    size.map((bytes) => `${header}${'a'.repeat(bytes)},true\n`),
    oneLabel,
  ),
  file(size.map((bytes) => `${header}${','.repeat(bytes)}`)),
  file(size.map((bytes) => `${header}"${'x\n'.repeat(bytes / 2)}`)),
  file(fc.constant(`${header}${'a,true\n'.repeat(1_600_000)}`), ['OBJECT_TOO_LARGE', 'CHECK_FAILED']),
];

const kinds: readonly Kind[] = [
  // Encodings
  file(fc.uint8Array({ minLength: 1, maxLength: 5000 }).map((bytes) => Buffer.from(bytes))),
  file(word.map((text) => Buffer.from(`\ufeff${header}${text.replaceAll(/["\n\r,]/g, '')},true\n`, 'utf16le'))),
  file(fc.constant(Buffer.from(`${header}Wie hei\u00dft er?,true\nWas?,false\n`, 'latin1'))),
  file(
    fc
      .constantFrom('c0af', 'eda080', 'f4908080', 'ff')
      .map((hex) =>
        Buffer.concat([Buffer.from(`${header}a`), Buffer.from(hex, 'hex'), Buffer.from(',true\nb,false\n')]),
      ),
  ),
  // Words that come back in the reason
  file(drives.map((text) => `prompt,${text.replace('\n', '')}label\na,true\nb,false\n`)),
  file(fc.tuple(word, drives).map(([text, harm]) => `${header}a,"${text.replaceAll('"', '')}${harm}"\nb,false\n`)),
  file(
    word.map((text) => `${header}"${text.replaceAll('"', '')}",true\n`),
    oneLabel,
  ),
  // Words that are data, whatever they are
  file(
    fc
      .array(word, { minLength: 1, maxLength: 50 })
      .map((words) => `${header}${words.map((text) => `"${text.replaceAll('"', '""')}x",true\n`).join('')}end,false\n`),
    ['applied'],
  ),
  // Sidecars
  described(deep, ['BAD_SIDECAR']),
  described(
    fc.uint8Array({ minLength: 1, maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
    ['BAD_SIDECAR'],
  ),
  described(
    word.map((text) => JSON.stringify({ fileId: { [text]: text }, ['__proto__']: { name: text } })),
    ['BAD_SIDECAR'],
  ),
  described(
    word.map((text) => JSON.stringify({ fileId: 'f', [`x${text}`]: text.repeat(200) })),
    ['BAD_SIDECAR'],
  ),
  described(
    fc
      .tuple(word, drives)
      .map(([text, harm]) => JSON.stringify({ fileId: `${harm}${text}x`, name: `x${text}${harm}` })),
    ['applied', 'BAD_SIDECAR', 'FILE_ID_MISSING'],
  ),
  // Metadata
  withMetadata(
    fc.tuple(word, drives).map(([text, harm]) => ({ 'file-id': inHeader(`${text}${harm}`), name: inHeader(harm) })),
  ),
  // Both together as long as S3 takes them: 2 KB.
  withMetadata(
    fc
      .constantFrom('%', '%00%1b%5b2J', '=?nonsense?b?aGk=?=', '=?UTF-8?B?////?=', 'x'.repeat(900), '\'"`$(id)')
      .map((text) => ({
        'file-id': text,
        'scanner-versions': text,
      })),
  ),
];

function kindAt(index: number): Kind {
  const kind = index < largeFiles ? largeKinds[index % largeKinds.length] : kinds[index % kinds.length];
  if (kind === undefined) throw new Error('there is no kind of hostile file');
  return kind;
}

/** As many hostile files as asked for, of every kind in turn, under plain names. */
export function hostileFiles(seed: number, count: number): readonly HostileUpload[] {
  return Array.from({ length: count }, (_, index) => {
    const kind = kindAt(index);
    const [content] = fc.sample(kind.content, { seed: seed + index, numRuns: 1 });
    if (content === undefined) throw new Error('nothing was sampled');
    return { key: `${kind.prefix}hostile-${index}${kind.suffix}`, ...content };
  });
}

/** Names that were seen to drive something: each must be registered as the name that it is. */
const drivingNames = [
  '\u001b[2J\u001b[H',
  '\u001b]52;c;aGk=\u0007',
  '\u009b2J',
  '\nREADY {"aws":"http://127.0.0.1:1"}\n',
  'invoice\u202egpj.csv',
  '\u2066\u061c\u200e',
  'zero\u200bwidth\u2060\ufeff',
  '\u{e0041}\u{e0042}',
  String.raw`a\|<img src=x>`,
  "it's $(id) `id` !!",
  '--key',
];

/** As many good files as asked for, under hostile keys. */
export function hostileKeys(seed: number, count: number): readonly HostileUpload[] {
  const prefix = 'datasets/keys/';
  const random = fc.sample(anyKey(prefix).filter(isOfAFile), { seed, numRuns: count });
  const keys = [...new Set([...drivingNames.map((name) => `${prefix}${name}`), ...random])].slice(0, count);
  return keys.map((key, index) => ({ key, body: goodFile(`key ${index}`), ends: endsOfKey(key) }));
}

/** A key that ends so names a sidecar, or a folder. */
function isOfAFile(key: string): boolean {
  return !key.endsWith('.dataset.json') && !key.endsWith('/');
}

/** The rule takes the stem for the file's id: a name of white space or nothing has none. */
function endsOfKey(key: string): readonly string[] {
  // A name such as a~ is that of a backup.
  const good = ['applied', 'FILE_ID_MISSING', 'ignored'];
  return key.length > 200 ? [...good, 'VALIDATION'] : good;
}
