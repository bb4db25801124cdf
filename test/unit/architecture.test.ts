import { join } from 'node:path';
import { stop } from 'esbuild';
import { afterAll, describe, expect, test } from 'vitest';
import { checkArchitecture } from './architecture/check-architecture.ts';
import { readProject } from './architecture/read-project.ts';
import { readSources } from './architecture/read-imports.ts';
import { barrels } from './architecture/rooms.ts';

afterAll(stop);

const root = join(import.meta.dirname, '..', '..');

async function breachesOf(sources: Readonly<Record<string, string>>): Promise<string[]> {
  return checkArchitecture(await readSources(new Map(Object.entries(sources))));
}

describe('this project', () => {
  test('keeps its boundaries', async () => {
    const files = await readSources(await readProject(root));

    expect(files.length).toBeGreaterThan(100);
    expect(checkArchitecture(files)).toEqual([]);
  });

  test('has no exception that is not needed', async () => {
    const sources = await readProject(root);

    expect(barrels.filter((path) => !sources.has(path))).toEqual([]);
  });
});

const withoutDocs = (source: string): string => source.replaceAll(/\/\*[^]*?\*\//g, '');

// Faults came from orders that several files worked out, each in its own way, and from rows that several files wrote.
test('the run worker writes rows in one place, and puts commands in order in its decision alone', async () => {
  const sources = [...(await readProject(root))].filter(([path]) => /^(?:functions|shared)\//.test(path));
  const filesWith = (use: RegExp, under: RegExp) =>
    sources.flatMap(([path, source]) => (under.test(path) && use.test(withoutDocs(source)) ? [path] : []));
  const writing = /\bledger\.write(?:All)?(?:<\w+>)?\(/;

  expect(filesWith(writing, /^functions\/(?:_runs|update-campaign-runs)\//)).toEqual(['functions/_runs/load.ts']);
  // Rows of people and of messages; none of a run, its id, its target or a command.
  expect(filesWith(writing, /^shared\//).toSorted()).toEqual([
    'shared/ledger/recent-outcomes.ts',
    'shared/ledger/switches.ts',
  ]);
  const ordering = filesWith(/\bcompareCommands\(/, /./);
  expect(ordering.length).toBeGreaterThan(3);
  expect(ordering.filter((path) => !path.startsWith('functions/_runs/decide/')).toSorted()).toEqual([
    // Which message of a preview arrives first.
    'functions/answer-questions/plan.ts',
    // The order itself.
    'shared/messages/campaign-run-command.ts',
  ]);
});

/** A planted breach of each rule: where, what is written there, and the part of the message that names the rule. */
const breaches: readonly (readonly [file: string, source: string, rule: string])[] = [
  ['infra/stack.ts', "import type { A } from '#gateway/a.ts'; export const a: A = 1;", 'infra may import shared/'],
  ['shared/aws/a.ts', "export const x = () => import('#cli/x.ts');", 'shared may import package.json'],
  ['functions/a/work.ts', "import { x } from '../b/work.ts'; x();", 'a function never imports another function'],
  ['gateway/a.ts', "import { x } from '#shared/gateway-client/index.ts'; x();", 'types of the client only'],
  ['operator/a.ts', "import { x } from '#shared/gateway-client/index.ts'; x();", 'never calls the gateway'],
  ['infra/a.ts', 'export const folder = import.meta.dirname;', 'asks where it lies'],
  ['cli/a.ts', "import { x } from '../shared/x.ts'; x();", 'another room is imported as #shared/x.ts'],
  ['cli/stage/a.ts', "import { x } from '#cli/b.ts'; x();", 'within a room an import is relative'],
  ['shared/aws/a.ts', "import { request } from 'undici'; request('x');", 'only shared/gateway-client uses it'],
  ['shared/config/a.ts', "import type { SQSClient } from '@aws-sdk/client-sqs';", 'only shared/aws uses it'],
  ['cli/a.ts', "const { x } = require('dynalite'); x();", 'only local uses it'],
  ['infra/a.ts', "import { Stack } from 'aws-cdk-lib'; new Stack();", 'the whole is slow'],
  ['shared/a.ts', "import { z } from 'zod'; z.string();", "import * as z from 'zod'"],
  ['shared/a.ts', 'export const stage = process.env.STAGE;', 'reads process.env'],
  ['shared/a.ts', 'const a = 1;\nexport { a as default };', 'has a default export'],
  ['shared/config/all.ts', "export * from './a.ts';", 'only gathers exports'],
  ['shared/a.ts', 'void 0;\n'.repeat(301), 'has 301 lines'],
];

test.each(breaches)('a planted breach in %s is reported: %s', async (file, source, rule) => {
  expect(await breachesOf({ [file]: source })).toEqual([expect.stringContaining(rule)]);
});

test('what stands in a comment or a text is no import', async () => {
  const source =
    "// import { x } from '#infra/x.ts'\n/* process.env */\nexport const a = \"import { y } from '#cli/y.ts'\";";

  expect(await breachesOf({ 'shared/a.ts': source })).toEqual([]);
});
