import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';

interface Run {
  readonly code: number;
  readonly stderr: string;
  readonly outDir: string;
}

/** Runs the app by itself, as the run on one machine does: context as JSON, no `cdk` around it. */
async function runApp(context: Readonly<Record<string, string>>, validation = 'false'): Promise<Run> {
  const directory = await mkdtemp(join(tmpdir(), 'autopilot-app-'));
  onTestFinished(async () => rm(directory, { recursive: true }));
  const outDir = join(directory, 'cdk.out');
  return new Promise((resolve) => {
    const environment = {
      ...process.env,
      CDK_OUTDIR: outDir,
      CDK_VALIDATION: validation,
      CDK_CONTEXT_JSON: JSON.stringify({ buildDir: join(directory, 'build'), ...context }),
    };
    execFile(process.execPath, ['infra/app.ts'], { cwd: packageFolder, env: environment }, (error, _stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stderr, outDir });
    });
  });
}

describe('the app by itself', () => {
  test('synthesizes the stage that it is told, each asset with its part of the configuration', async () => {
    const { code, stderr, outDir } = await runApp({ stage: 'local', gatewayBaseUrl: 'http://127.0.0.1:4999' });

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const files = await readdir(outDir);
    expect(files).toEqual(
      expect.arrayContaining([
        'GatewayAutopilot-local-State.template.json',
        'GatewayAutopilot-local-Workers.template.json',
      ]),
    );
    const assets = files.filter((file) => file.startsWith('asset.'));
    expect(assets).toHaveLength(functionNames.length);
    const parts = await Promise.all(assets.map(async (asset) => readFile(join(outDir, asset, 'config.json'), 'utf8')));
    expect(parts.filter((part) => part.includes('http://127.0.0.1:4999'))).toHaveLength(6);
  });

  test('is judged by cdk-nag, CloudFormation and our own rules, and the report says why what was found stays', async () => {
    const { code, outDir } = await runApp({ stage: 'prod' }, 'true');

    expect(code).toBe(0);
    const { pluginReports } = JSON.parse(await readFile(join(outDir, 'validation-report.json'), 'utf8'));
    expect(pluginReports).toEqual(
      ['AwsSolutions', 'Serverless', 'Autopilot'].map((pluginName): unknown =>
        expect.objectContaining({ pluginName, conclusion: 'success', violations: [] }),
      ),
    );
    for (const { suppressedViolations } of pluginReports) {
      for (const { ruleName, reason } of suppressedViolations) expect(reason.length, ruleName).toBeGreaterThan(40);
    }
  });

  test('says what is wrong with a configuration, line by line, and nothing else', async () => {
    const { code, stderr } = await runApp({ stage: 'prod', config: 'test/infra/fixtures/broken.config.ts' });

    expect(code).toBe(2);
    expect(stderr.trim().split('\n')).toHaveLength(4);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});
