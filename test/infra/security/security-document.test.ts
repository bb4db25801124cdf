import { readFile } from 'node:fs/promises';
import { stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allOptions } from '../stacks/options.ts';
import { stageWith } from '../stacks/stage-with.ts';
import { configurations, type StageTemplates, synthesize } from '../template.ts';
import { grantedIn, unreadPolicies } from './granted.ts';
import { grantTables } from './grant-tables.ts';
import { freshSecurityDocument, securityPath } from './security-document.ts';

afterAll(stop);

const anyCode = { filesUsing: () => ['shared/aws/queue.ts'] };

test('the tables of docs/security.md are those of the templates (if not: npm run docs -- security, and read the difference)', async () => {
  const written = await readFile(securityPath, 'utf8');

  expect(written).toBe(await freshSecurityDocument());
});

describe.each(['example', 'chaos', 'all options'] as const)('in the templates of %s', (name) => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage =
      name === 'all options'
        ? await stageWith(
            { ...allOptions, deployment: { ...allOptions.deployment, encryption: 'customer-managed' } },
            'prod',
          )
        : await synthesize(configurations[name]);
  });

  test('each permission has a reason, and each reason a permission', () => {
    const { granted, idleReasons } = grantedIn(stage);
    const unreasoned = granted.filter(({ why }) => why === '').map(({ to, action }) => ({ to, action }));

    expect(unreasoned).toEqual([]);
    expect(idleReasons).toEqual([]);
    expect(granted.length).toBeGreaterThan(90);
  });

  test('nothing is allowed in a way that the tables do not read', () => {
    expect(unreadPolicies(stage)).toEqual([]);
  });
});

test('the stage that the tests run allows what a deployed one allows', async () => {
  const [prod, chaos] = await Promise.all([synthesize(configurations.example), synthesize(configurations.chaos)]);

  const named = grantTables(chaos, anyCode).replaceAll(/(autopilot)-chaos/gi, '$1-prod');
  expect(named).toBe(grantTables(prod, anyCode));
});
