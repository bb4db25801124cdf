import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandList } from '#cli/command-list.ts';
import { handleOf } from '#operator/handles.ts';
import { createEvidenceBench } from '../unit/operator/evidence-bench.ts';
import { parkedCommand, parkedMessage, parkedUpload } from '../unit/operator/parked-fixtures.ts';
import {
  appliedStart,
  asPrinted,
  documentOf,
  exampleDeps,
  type JsonDocument,
  registeredKey,
  waitingStart,
} from './example-stage.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'autopilot-golden-'));
  await writeFile(join(folder, 'good.csv'), 'prompt,label\nhello,false\n');
  await writeFile(join(folder, 'bad.csv'), 'prompt,label\nhello,perhaps\n');
});

afterAll(() => rm(folder, { recursive: true }));

/**
 * What stands for a word of a command line that differs from one machine, or one key of the ledger,
 * to another.
 */
const placeholders = () => ({
  FOLDER: folder,
  UPLOAD: handleOf(parkedUpload().pk),
  COMMAND: handleOf(parkedCommand().pk),
  MESSAGE: handleOf(parkedMessage().pk),
});

/** Command lines with which each command prints its documents. */
const commandLines: readonly string[] = [
  'upload FOLDER/good.csv',
  'upload FOLDER/good.csv --no-wait',
  'upload FOLDER/good.csv --convert',
  'upload FOLDER/bad.csv --convert',
  'check FOLDER/good.csv',
  'check FOLDER/bad.csv',
  'send start nightly',
  'send start nightly --no-wait',
  'send stop nightly',
  'fire weeknights',
  'bind nightly 0197f3a0-5b1c-7d2e-8f30-000000000002',
  'freeze --reason INC-78',
  'thaw --reason over',
  'pause weeknights --reason INC-78',
  'resume campaign chat-bot --reason over',
  'stop --all-in-flight --reason INC-78',
  'stop --all-in-flight --reason INC-78 --yes',
  'drain',
  'token set',
  'token check',
  'doctor',
  'status',
  `show ${appliedStart}`,
  `show ${waitingStart}`,
  `show ${registeredKey}`,
  'uploads',
  'history',
  'history --switches',
  'plan',
  'scores',
  'parked list',
  'parked show UPLOAD COMMAND MESSAGE',
  'parked resolve COMMAND --repeat',
  'parked resolve UPLOAD --applied d-7',
  'parked resolve --code BAD_MESSAGE --dismiss --reason old --dry-run',
  'parked resolve --code BAD_MESSAGE --dismiss --reason old --before 2026-11-20T20:00:00.000Z --yes 1',
  'runbook',
  'clock',
  'clock +8h',
];

async function shapeOfLine(line: string): Promise<string> {
  const words = Object.entries(placeholders()).reduce(
    (text, [word, meant]) => text.replaceAll(` ${word}`, ` ${meant}`),
    line,
  );
  const [name = '', ...argv] = words.split(' ');
  const listed = commandList[name];
  if (listed === undefined) throw new Error(`there is no command ${name}`);
  const { command } = await listed.load();
  return told(line, await documentOf(command, argv, await exampleDeps()));
}

function told(line: string, { exitCode, ...document }: JsonDocument): string {
  return [`$ autopilot ${line} --json`, `exitCode: ${exitCode}`, ...shapeOf([document]), ''].join('\n');
}

test('each command keeps the keys and types of its document', async () => {
  const texts: string[] = [];
  for (const line of commandLines) texts.push(await shapeOfLine(line));

  await expect(texts.join('\n')).toMatchFileSnapshot('files/json-documents.txt');
});

test('evidence keeps the keys and types of its document', async () => {
  const bench = createEvidenceBench();
  await bench.send({ id: 'start-1', reason: 'CHG-1' });
  bench.passMs(4 * 3_600_000);
  await bench.send({ id: 'stop-1', action: 'stop', origin: { kind: 'operator', name: 'grace' } });
  await bench.send({ id: 'start-2' });
  await bench.send({ id: 'skipped-1', run: 'smoke' });

  const texts: string[] = [];
  for (const id of ['start-1', 'start-2', 'skipped-1']) {
    const { data } = await bench.evidence(id);
    texts.push(told(`evidence ${id}`, asPrinted({ data })));
  }

  await expect(texts.join('\n')).toMatchFileSnapshot('files/json-evidence.txt');
});

test('each command has a command line here', () => {
  // The console goes on until it is ended, and refuses --json;
  // test/integration/console/report.long.test.ts has the document of a report. Calendars and alarms are those of a stage that runs:
  // test/integration/stage/calendars/change-calendar.long.test.ts moves one, test/integration/stage/target-alarm.long.test.ts the other.
  const named = new Set([
    ...commandLines.map((line) => line.split(' ')[0]),
    'evidence',
    'console',
    'report',
    'calendar',
    'alarm',
  ]);

  expect(Object.keys(commandList).filter((name) => !named.has(name))).toEqual([]);
});

/**
 * The keys and types of documents of one kind, one line for each path. `?` marks a key that only
 * some of the documents have.
 * @example shapeOf([{ at: '2026-11-20', ids: ['a'] }]) // ['at: string', 'ids[]: string']
 */
export function shapeOf(documents: readonly unknown[], path = ''): readonly string[] {
  const leaves = [...new Set(documents.map(leafType).filter((type) => type !== undefined))].toSorted();
  const lists = documents.filter((value): value is readonly unknown[] => Array.isArray(value));
  const objects = documents.filter(isObject);
  return [
    ...(leaves.length === 0 ? [] : [`${path}: ${leaves.join(' | ')}`]),
    ...(lists.length === 0 ? [] : listShape(lists.flat(), `${path}[]`)),
    ...(objects.length === 0 ? [] : objectShape(objects, path)),
  ];
}

function leafType(value: unknown): string | undefined {
  if (value === null) return 'null';
  return typeof value === 'object' ? undefined : typeof value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listShape(items: readonly unknown[], path: string): readonly string[] {
  return items.length === 0 ? [`${path}: (empty)`] : shapeOf(items, path);
}

function objectShape(objects: readonly Readonly<Record<string, unknown>>[], path: string): readonly string[] {
  const keys = [...new Set(objects.flatMap((object) => Object.keys(object)))].toSorted();
  if (keys.length === 0) return [`${path}: (no keys)`];
  return keys.flatMap((key) => {
    const having = objects.filter((object) => Object.hasOwn(object, key));
    const mark = having.length < objects.length ? '?' : '';
    const below = path === '' ? `${key}${mark}` : `${path}.${key}${mark}`;
    return shapeOf(
      having.map((object) => object[key]),
      below,
    );
  });
}
