import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { alarmNames, alarmPrefix } from '#infra/constructs/monitoring/alarm-names.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { awsLinesOf, headingsOf, operatorLinesOf, sectionOf } from '../../unit/docs/documents/markdown.ts';
import { configurations, ofType, type StageTemplates, synthesize, textAt } from '../template.ts';
import { alarmsOf, constructOf } from './alarms-of-template.ts';
import { freshRunbook } from './runbook-document.ts';

const runbook = readFileSync(join(packageFolder, 'docs', 'runbook.md'), 'utf8');
const names = alarmNames;

let stage: StageTemplates;

beforeAll(async () => {
  stage = await synthesize(configurations.webhooks);
});

test('the runbook has a page for each alarm, and for no other', () => {
  const headings = headingsOf(sectionOf(runbook, 'Alarms')).map(({ text }) => text);

  expect(headings.toSorted()).toEqual(names.toSorted());
});

test('each page begins with the text of its alarm or its reason (npm run docs -- runbook)', async () => {
  const pages = headingsOf(runbook).filter(({ level }) => level === 3);

  expect(runbook).toBe(await freshRunbook());
  expect(runbook.match(/^### \S+\n\n> \S/gm)).toHaveLength(pages.length);
});

describe.each(names)('the page of %s', (name) => {
  const page = sectionOf(runbook, name);

  test('says impact, what to look at, the fix, what comes after, what not to do, and how far one machine goes if not to the end', () => {
    const words = [...page.matchAll(/^\*\*([A-Z][a-z ]+)\.?\*\*/gm)].map(([, word]) => word);

    const whole = ['Impact', 'Look', 'Fix', 'Afterwards', 'Do not', 'On one machine'];
    expect(words).toEqual(words.length < whole.length ? whole.slice(0, -1) : whole);
    expect(operatorLinesOf(page).length).toBeGreaterThan(0);
  });
});

test.each(functionNames)('the doc block of %s names its alarms', (functionName) => {
  const source = readFileSync(join(packageFolder, 'functions', functionName, 'handler.ts'), 'utf8');
  const [, named = ''] = /^ \* Alarms, each a heading of docs\/runbook\.md: ([^.]+)\.$/m.exec(source) ?? [];
  const itsAlarms = alarmsOf(stage).filter(({ id }) => id.startsWith(constructOf(functionName)));

  expect(
    named
      .split(/[\s*,]+/)
      .filter(Boolean)
      .toSorted(),
  ).toEqual(itsAlarms.map(({ name }) => name).toSorted());
});

describe('each command of AWS in the runbook', () => {
  const lines = awsLinesOf(runbook);

  const after = (option: string) =>
    lines.flatMap((words) => words.filter((_word, index) => words[index - 1] === `--${option}`));

  test('names what the deployed example has: alarms, schedules, log groups, metrics', () => {
    const { name: stack } = stage.workers;
    const alarms = new Set(names.map((name) => `${alarmPrefix('prod')}${name}`));
    const schedules = new Set(
      ofType(stage.workers, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => textAt(Properties, 'Name')),
    );
    const logGroups = ofType(stage.workers, 'AWS::Logs::LogGroup').map(([id]) => `${stack}-${id}`);
    const watched = new Set(alarmsOf(stage).flatMap(({ metrics }) => metrics.map(({ name }) => name)));
    const unknownGroups = after('log-group-name-prefix').filter(
      (prefix) => !logGroups.some((group) => group.startsWith(prefix)),
    );

    expect(lines.length).toBeGreaterThan(10);
    expect(after('alarm-name').filter((name) => !alarms.has(name))).toEqual([]);
    expect(after('alarm-name-prefix')).toEqual([alarmPrefix('prod')]);
    expect(after('name').filter((name) => !schedules.has(name))).toEqual([]);
    expect(unknownGroups).toEqual([]);
    expect(after('metric-name').filter((name) => !watched.has(name))).toEqual(['ConcurrentExecutions']);
  });
});
