import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectRoot } from '../../../infra/bundle/build-functions.ts';
import { ConfigurationError, loadAutomation } from '../../../infra/config/load-automation.ts';

const example = join(projectRoot, 'automation.config.ts');
const fixture = (name: string) => join(import.meta.dirname, '..', 'fixtures', name);

async function refusal(options: Parameters<typeof loadAutomation>[0]): Promise<string> {
  const error = await loadAutomation(options).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConfigurationError);
  return error instanceof Error ? error.message : '';
}

describe('the example that ships', () => {
  test.each(['local', 'prod', 'chaos'])('resolves for the stage %s without a warning', async (stage) => {
    const { automation, warnings } = await loadAutomation({ configPath: example, stage });

    expect(automation.stage).toBe(stage);
    expect(warnings).toEqual([]);
  });

  test('points at the embedded gateway where it is local', async () => {
    const { automation } = await loadAutomation({ configPath: example, stage: 'local' });

    expect(automation.gateway.baseUrl).toBe('http://127.0.0.1:4010');
  });
});

test('the address of the gateway can be given from outside, and is checked like the configured one', async () => {
  const local = await loadAutomation({ configPath: example, stage: 'local', gatewayBaseUrl: 'http://127.0.0.1:4999' });
  const refused = await refusal({ configPath: example, stage: 'prod', gatewayBaseUrl: 'http://127.0.0.1:4999' });

  expect(local.automation.gateway.baseUrl).toBe('http://127.0.0.1:4999');
  expect(refused).toContain('gateway.baseUrl: is this very machine');
});

test('an unknown stage is answered with the stages that there are', async () => {
  expect(await refusal({ configPath: example, stage: 'pord' })).toMatch(/has no stage "pord"; it has: local, prod$/);
});

test('every problem of a stage is a line with its path', async () => {
  const message = await refusal({ configPath: fixture('broken.config.ts'), stage: 'prod' });

  expect(message.split('\n')).toEqual([
    expect.stringMatching(/broken\.config\.ts, stage prod: 3 problems$/),
    expect.stringMatching(/^ {2}gateway\.baseUrl: is this very machine/),
    expect.stringMatching(/^ {2}campaigns\.chat\.runs\.nightly: needs stopAfter/),
    expect.stringMatching(/^ {2}schedules\[0\]\.start: "nigthly" is not a configured run; did you mean "nightly"\?/),
  ]);
});

test('a file without a default export is told what to export', async () => {
  expect(await refusal({ configPath: fixture('no-default.config.ts'), stage: 'local' })).toContain(
    'export default defineStages(',
  );
});

test('a file that is not there is named', async () => {
  expect(await refusal({ configPath: '/nowhere/automation.config.ts', stage: 'local' })).toContain(
    '/nowhere/automation.config.ts cannot be read',
  );
});
