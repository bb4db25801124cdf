/**
 * The CDK app: one stage of one configuration file, as two stacks. Run by `cdk` (which reads
 * cdk.json), or alone with `CDK_OUTDIR` set, as on one machine. Context then comes as JSON in
 * `CDK_CONTEXT_JSON`.
 *
 *   -c stage=prod                  @default local
 *   -c config=other.config.ts      @default automation.config.ts
 *   -c gatewayBaseUrl=http://…     takes the place of the configured one
 *   -c buildDir=DIR                where bundles and assets go; @default build
 *   CDK_VALIDATION=false           judges the templates by no rules (CloudFormation's, cdk-nag's, our own), which is quicker by seconds
 */
import { join, resolve } from 'node:path';
import { App, Validations } from 'aws-cdk-lib/core';
import { isInstalled } from '#shared/places.ts';
import { bundlesFolder, writeAssets } from './bundle/write-assets.ts';
import { configParts } from './config/config-parts.ts';
import { formatProblems, loadAutomation } from './config/load-automation.ts';
import { featureFlags } from './config/stage-numbers.ts';
import { ConfigurationError } from './config/configuration-error.ts';

async function synthesize(): Promise<void> {
  const validates = process.env['CDK_VALIDATION'] !== 'false';
  const app = new App({
    context: featureFlags,
    builtinCloudFormationValidation: validates && !isInstalled,
    ...(process.env['CDK_OUTDIR'] === undefined ? { outdir: 'cdk.out' } : {}),
  });
  const text = (key: string): string | undefined => {
    const value: unknown = app.node.tryGetContext(key);
    return typeof value === 'string' ? value : undefined;
  };
  const stage = text('stage') ?? 'local';
  const { automation, numbers, warnings } = await loadAutomation({
    configPath: resolve(text('config') ?? 'automation.config.ts'),
    stage,
    gatewayBaseUrl: text('gatewayBaseUrl'),
    isGatewayNamed: app.node.tryGetContext('isGatewayNamed') === true,
  });
  if (warnings.length > 0) console.warn(formatProblems(warnings));

  const buildDir = resolve(text('buildDir') ?? 'build');
  // The bundler is a process of its own: meanwhile this one reads the library.
  const [{ addStage }, bundlesDir] = await Promise.all([import('./add-stage.ts'), bundlesFolder(buildDir)]);
  const assets = writeAssets({
    bundlesDir,
    assetsDir: join(buildDir, 'assets', stage),
    parts: configParts(automation),
  });
  addStage(app, { automation, numbers, assets });
  if (validates) {
    const { validationPlugins } = await import('./validation/plugins.ts');
    Validations.of(app).addPlugins(...(await validationPlugins()));
  }
  app.synth();
}

try {
  await synthesize();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  // As `autopilot synth` and `autopilot start` end, which hand it on.
  process.exitCode = 2;
}
