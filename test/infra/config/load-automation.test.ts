import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { configParts } from '#infra/config/config-parts.ts';
import { loadAutomation } from '#infra/config/load-automation.ts';
import { ConfigurationError } from '#infra/config/configuration-error.ts';
const example = join(packageFolder, 'automation.config.ts');
const fixture = (name: string) => join(import.meta.dirname, '..', 'fixtures', name);

/** The warnings about an address that the stage does not use. */
async function unused(options: Omit<Parameters<typeof loadAutomation>[0], 'configPath'>) {
  const { warnings } = await loadAutomation({ configPath: example, ...options });
  return warnings.filter(({ path }) => path === 'gateway.baseUrl');
}

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
});

// `autopilot start --stage prod` said that the file's own `gateway.baseUrl` was this very machine.
test('the embedded gateway is given to a local stage; for another one the refusal says what to type', async () => {
  const gatewayBaseUrl = 'http://127.0.0.1:4999';

  const local = await loadAutomation({ configPath: example, stage: 'local', gatewayBaseUrl });

  expect(local.automation.gateway.baseUrl).toBe(gatewayBaseUrl);
  expect(await refusal({ configPath: example, stage: 'prod', gatewayBaseUrl })).toBe(
    'the stage prod runs on this machine only against a gateway of its own: add --gateway https://gateway.example.com (the stage local has the embedded one)',
  );
  expect(await refusal({ configPath: example, stage: 'pord', gatewayBaseUrl })).toContain('has no stage "pord"');
});

// ssh and port-forward are the usual way to a staging gateway.
test('a gateway on this machine that was named is given to any stage', async () => {
  const gatewayBaseUrl = 'http://127.0.0.1:8443';

  const { automation } = await loadAutomation({
    configPath: example,
    stage: 'prod',
    gatewayBaseUrl,
    isGatewayNamed: true,
  });

  expect(automation.gateway.baseUrl).toBe(gatewayBaseUrl);
});

// A stage worked against the embedded gateway, and its configuration named the one that was meant.
describe('an address in the configuration that the stage does not use', () => {
  test('is a warning with both addresses', async () => {
    const gatewayBaseUrl = 'https://staging.example.com';

    expect(await unused({ stage: 'prod', gatewayBaseUrl, isGatewayNamed: true })).toEqual([
      {
        path: 'gateway.baseUrl',
        message: 'https://gateway.example.com is not used: this start calls https://staging.example.com.',
      },
    ]);
  });

  test('is a warning that names the option, if the embedded gateway takes its place', async () => {
    const configPath = join(mkdtempSync(join(tmpdir(), 'autopilot-unused-')), 'automation.config.mjs');
    const gateway = "{ ...stages.local.gateway, baseUrl: 'http://127.0.0.1:8443' }";
    writeFileSync(
      configPath,
      `import stages from '${example}';\nexport default { local: { ...stages.local, gateway: ${gateway} } };\n`,
    );

    const { warnings } = await loadAutomation({ configPath, stage: 'local', gatewayBaseUrl: 'http://127.0.0.1:4010' });
    rmSync(dirname(configPath), { recursive: true });

    expect(warnings).toEqual([
      {
        path: 'gateway.baseUrl',
        message:
          'http://127.0.0.1:8443 is not used: this start calls the embedded gateway at http://127.0.0.1:4010; --gateway http://127.0.0.1:8443 calls yours.',
      },
    ]);
  });

  test.each([
    [
      'it is the one that is used',
      { stage: 'prod', gatewayBaseUrl: 'https://gateway.example.com/', isGatewayNamed: true },
    ],
    ['it is that of the embedded gateway', { stage: 'local', gatewayBaseUrl: 'http://127.0.0.1:4999' }],
    ['none takes its place', { stage: 'prod' }],
  ])('is not said if %s', async (_what, options) => {
    expect(await unused(options)).toEqual([]);
  });
});

test.each(['https://localhost', 'https://0.0.0.0', 'http://gateway.example.com'])(
  'a deployed stage does not take %s for a gateway',
  async (gatewayBaseUrl) => {
    expect(await refusal({ configPath: example, stage: 'prod', gatewayBaseUrl })).toMatch(
      /against a gateway of its own|gateway\.baseUrl: (?:is this|must begin)/,
    );
  },
);

test('certificates are found beside the configuration file, and ship with the functions that call the gateway alone', async () => {
  const { automation } = await loadAutomation({ configPath: fixture('private-gateway.config.ts'), stage: 'prod' });
  const parts = Object.entries(configParts(automation)).map(([name, part]) => [name, JSON.stringify(part)] as const);
  const withText = (text: string) => parts.filter(([, part]) => part.includes(text)).map(([name]) => name);

  expect(automation.gateway.caBundle).toBe(await readFile(fixture('internal-ca.pem'), 'utf8'));
  const callers = [
    'poll-scanner-packages',
    'update-campaign-runs',
    'register-datasets',
    'watch-campaigns',
    'watch-projects',
    'answer-questions',
  ];
  expect(withText('BEGIN CERTIFICATE').toSorted()).toEqual(callers.toSorted());
  expect(withText('http://proxy.example.com:3128').toSorted()).toEqual(callers.toSorted());
});
