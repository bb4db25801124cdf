/**
 * The CDK app: one stage of one configuration file, as two stacks. Run by `cdk` (which reads
 * cdk.json), or alone with `CDK_OUTDIR` set, as on one machine. Context then comes as JSON in
 * `CDK_CONTEXT_JSON`.
 *
 *   -c stage=prod                  @default local
 *   -c config=other.config.ts      @default automation.config.ts
 *   -c gatewayBaseUrl=http://…     takes the place of the configured one
 *   -c buildDir=DIR                where bundles and assets go; @default build
 *   "stateFolder": DIR            of a stage on this machine: the commands in its notices lead there
 *   "isKept": true                 a start on one machine: makes only what its folders do not hold yet
 *   CDK_VALIDATION=false           judges the templates by no rules, which is quicker by seconds
 */
import { join, resolve } from 'node:path';
import type { App } from 'aws-cdk-lib/core';
import { digestOfProduct, fillFolder } from './bundle/kept-folder.ts';
import { bundlesFolder, writeAssets } from './bundle/write-assets.ts';
import { configParts } from './config/config-parts.ts';
import { formatProblems, loadAutomation, type ResolvedStage } from './config/load-automation.ts';
import { ConfigurationError } from './config/configuration-error.ts';

async function synthesize(): Promise<void> {
  const { CDK_CONTEXT_JSON: contextText = '{}', CDK_OUTDIR: outDir } = process.env;
  const given = JSON.parse(contextText) as Readonly<Record<string, unknown>>;
  if (given['isKept'] !== true || outDir === undefined) {
    const app = await openApp();
    return make(app, await load((key) => app.node.tryGetContext(key)));
  }
  // The library is read only if something is to be made.
  const wanted = await load((key) => given[key]);
  // All that the configuration file imports or reads is in what it resolves to.
  const inputs = (): string => digestOfProduct([wanted.automation, wanted.stateFolder]);
  return fillFolder(outDir, inputs, async () => make(await openApp(), { ...wanted, isKept: true }));
}

const options = {
  isJudged: process.env['CDK_VALIDATION'] !== 'false',
  outdir: process.env['CDK_OUTDIR'] === undefined ? 'cdk.out' : undefined,
};

async function openApp(): Promise<App> {
  const library = await import('./open-app.ts');
  return library.openApp(options);
}

/** A stage to make. */
interface WantedStage extends ResolvedStage {
  readonly buildDir: string;
  readonly stateFolder: string | undefined;
  /** Bundles that are there already are taken if they would be made of the same. */
  readonly isKept?: boolean;
}

/** Reads what is asked for, and says what is doubtful in it. */
async function load(context: (key: string) => unknown): Promise<WantedStage> {
  const text = (key: string): string | undefined => {
    const value = context(key);
    return typeof value === 'string' ? value : undefined;
  };
  const resolved = await loadAutomation({
    configPath: resolve(text('config') ?? 'automation.config.ts'),
    stage: text('stage') ?? 'local',
    gatewayBaseUrl: text('gatewayBaseUrl'),
    isGatewayNamed: context('isGatewayNamed') === true,
  });
  if (resolved.warnings.length > 0) console.warn(formatProblems(resolved.warnings));
  return { ...resolved, buildDir: resolve(text('buildDir') ?? 'build'), stateFolder: text('stateFolder') };
}

async function make(app: App, { buildDir, isKept = false, ...stage }: WantedStage): Promise<void> {
  // The bundler is a process of its own: meanwhile this one reads the library.
  const [{ addStage }, { writeTemplates }, bundlesDir] = await Promise.all([
    import('./add-stage.ts'),
    import('./open-app.ts'),
    bundlesFolder(buildDir, isKept),
  ]);
  const assets = writeAssets({
    bundlesDir,
    assetsDir: join(buildDir, 'assets', stage.automation.stage),
    parts: configParts(stage.automation),
  });
  addStage(app, { ...stage, assets });
  await writeTemplates(app, options);
}

try {
  await synthesize();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  // As `autopilot synth` and `autopilot start` end, which hand it on.
  process.exitCode = 2;
}
