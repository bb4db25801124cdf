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
    'shared/ledger/open-rows.ts',
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

/** A planted breach: where, what is written there, and the part of the message that names the rule. */
const breaches: readonly (readonly [file: string, source: string, rule: string])[] = [
  [
    'automation.config.ts',
    "import { x } from '#shared/aws/queue.ts'; x();",
    'automation.config.ts may import shared/config/',
  ],
  ['infra/app.ts', "import { handler } from '#functions/a/handler.ts'; handler();", 'infra may import shared/'],
  ['infra/stack.ts', "import type { A } from '#gateway/a.ts'; export const a: A = 1;", 'infra may import shared/'],
  ['functions/a/handler.ts', "import { x } from '#infra/x.ts'; x();", 'functions may import shared/'],
  ['functions/a/handler.ts', "import { x } from '#gateway/x.ts'; x();", 'functions may import shared/'],
  ['functions/a/work.ts', "import { x } from '../b/work.ts'; x();", 'a function never imports another function'],
  [
    'functions/_handler/output.ts',
    "import { x } from '../b/work.ts'; x();",
    'a function never imports another function',
  ],
  ['shared/aws/a.ts', "import { x } from '#functions/_handler/output.ts'; x();", 'shared may import package.json'],
  ['shared/aws/a.ts', "export { x } from '#infra/x.ts';\nexport const y = 1;", 'shared may import package.json'],
  ['shared/aws/a.ts', "export const x = () => import('#cli/x.ts');", 'shared may import package.json'],
  ['gateway/a.ts', "import { x } from '#shared/gateway-client/index.ts'; x();", 'types of the client only'],
  [
    'gateway/a.ts',
    "import { x } from '#shared/errors/app-error.ts'; x();",
    'gateway may import shared/schedule/duration.ts',
  ],
  [
    'local/a.ts',
    "import { handler } from '#functions/a/handler.ts'; handler();",
    'local may import gateway/, shared/, console/',
  ],
  ['local/a.ts', "import { x } from '#cli/x.ts'; x();", 'local may import gateway/, shared/, console/'],
  ['operator/a.ts', "import { x } from '#cli/x.ts'; x();", 'operator may import shared/'],
  ['cli/a.ts', "import { x } from '#local/x.ts'; x();", 'cli may import operator/, shared/, console/'],
  ['cli/a.ts', "import { x } from '#infra/x.ts'; x();", 'cli may import operator/, shared/, console/'],
  ['console/a.ts', "import { x } from '#cli/x.ts'; x();", 'console may import operator/, shared/'],
  ['infra/a.ts', 'export const folder = import.meta.dirname;', 'asks where it lies'],
  ['console/server/a.ts', "import { build } from 'esbuild'; build();", 'console/bundle-page.ts, uses it'],
  ['elsewhere/a.ts', "import { x } from '#shared/x.ts'; x();", 'elsewhere may import nothing outside of it'],
  ['cli/a.ts', "import { x } from '../shared/x.ts'; x();", 'another room is imported as #shared/x.ts'],
  ['cli/stage/a.ts', "import { x } from '#cli/b.ts'; x();", 'within a room an import is relative'],
  ['shared/aws/a.ts', "import { request } from 'undici'; request('x');", 'only shared/gateway-client uses it'],
  [
    'functions/a/handler.ts',
    "import { SQSClient } from '@aws-sdk/client-sqs'; new SQSClient();",
    'only shared/aws uses it',
  ],
  ['shared/config/a.ts', "import type { SQSClient } from '@aws-sdk/client-sqs';", 'only shared/aws uses it'],
  ['cli/a.ts', "import { Stack } from 'aws-cdk-lib/core'; new Stack();", 'only infra uses it'],
  ['infra/a.ts', "import { Stack } from 'aws-cdk-lib'; new Stack();", 'the whole is slow'],
  ['test/infra/a.ts', "import { Stack } from 'aws-cdk-lib'; new Stack();", 'the whole is slow'],
  ['local/a.ts', "import { Hono } from 'hono/tiny'; new Hono();", 'only gateway, and console, uses it'],
  ['local/a.ts', "import { serve } from '@hono/node-server'; serve();", 'only gateway, and console, uses it'],
  ['gateway/a.ts', "import dynalite from 'dynalite'; dynalite();", 'only local uses it'],
  ['cli/a.ts', "const { x } = require('dynalite'); x();", 'only local uses it'],
  ['local/a.ts', "import { Cron } from 'croner'; new Cron();", 'only shared/schedule uses it'],
  ['local/a.ts', "import { build } from 'esbuild'; build();", 'only infra/bundle, and console/bundle-page.ts, uses it'],
  [
    'functions/a/work.ts',
    "import { Logger } from '@aws-lambda-powertools/logger'; new Logger();",
    'only functions/_handler uses it',
  ],
  ['shared/a.ts', "import { z } from 'zod'; z.string();", "import * as z from 'zod'"],
  ['shared/a.ts', 'export const stage = process.env.STAGE;', 'reads process.env'],
  ['shared/a.ts', "import { env } from 'node:process'; env.STAGE;", 'reads process.env'],
  ['shared/a.ts', 'export default 1;', 'has a default export'],
  ['shared/a.ts', 'const a = 1;\nexport { a as default };', 'has a default export'],
  ['shared/config/index.ts', "export { a } from './a.ts';\nexport type { B } from './b.ts';", 'only gathers exports'],
  ['shared/config/all.ts', "export * from './a.ts';", 'only gathers exports'],
];

describe('a planted breach', () => {
  test.each(breaches)('in %s is reported: %s', async (file, source, rule) => {
    const found = await breachesOf({ [file]: source });

    expect(found).toEqual([expect.stringContaining(rule)]);
    expect(found[0]).toContain(`${file}: `);
  });
});

test('a file past 300 lines is reported with its length', async () => {
  const found = await breachesOf({ 'shared/a.ts': 'void 0;\n'.repeat(301), 'shared/b.ts': 'void 0;\n'.repeat(300) });

  expect(found).toEqual([expect.stringMatching(/^shared\/a\.ts: has 301 lines/)]);
});

/** What looks like a breach and is none. */
const allowed: readonly (readonly [file: string, source: string])[] = [
  [
    'gateway/a.ts',
    "import type { Project } from '#shared/gateway-client/endpoints/projects.ts';\nexport const a: Project[] = [];",
  ],
  ['functions/a/handler.ts', "import { log } from '../_handler/log.ts'; log();"],
  ['functions/a/work.ts', "import { x } from '../_runs/x.ts'; x();"],
  [
    'shared/a.ts',
    "// import { x } from '#infra/x.ts'\n/* process.env */\nexport const a = \"import { y } from '#cli/y.ts'\";",
  ],
  ['shared/gateway-client/index.ts', "export { a } from './a.ts';"],
  ['shared/a.ts', "export { a } from './b.ts';\nexport const c = 1;"],
  ['infra/app.ts', 'export const stage = process.env.STAGE;'],
  ['vitest.config.ts', "import { defineConfig } from 'vitest/config';\nexport default defineConfig({});"],
  [
    'test/unit/a.test.ts',
    "import { SQSClient } from '@aws-sdk/client-sqs';\nimport { x } from '#local/x.ts'; x(SQSClient);",
  ],
  ['shared/a.ts', "import type { z } from 'zod';\nexport type A = z.ZodType;"],
];

describe('no breach', () => {
  test.each(allowed)('in %s: %s', async (file, source) => {
    expect(await breachesOf({ [file]: source })).toEqual([]);
  });
});
