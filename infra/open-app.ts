/**
 * The CDK app. It is a file of its own so that `app.ts` reads the library only when it makes
 * something: in the installed package an import of the library itself has no named exports.
 */
import { App, Validations } from 'aws-cdk-lib/core';
import { isInstalled } from '#shared/places.ts';
import { featureFlags } from './config/stage-numbers.ts';

const validates = process.env['CDK_VALIDATION'] !== 'false';

/** An app without a stage. */
export function openApp(): App {
  return new App({
    context: featureFlags,
    builtinCloudFormationValidation: validates && !isInstalled,
    ...(process.env['CDK_OUTDIR'] === undefined ? { outdir: 'cdk.out' } : {}),
  });
}

/** Writes the templates, judged by our rules unless `CDK_VALIDATION=false`. */
export async function writeTemplates(app: App): Promise<void> {
  if (validates) {
    const { validationPlugins } = await import('./validation/plugins.ts');
    Validations.of(app).addPlugins(...(await validationPlugins()));
  }
  app.synth();
}
