/**
 * The CDK app. `app.ts` imports this file only when it makes something, since the library is slow to
 * read. It does not import the library itself: in the installed package that has no named exports.
 */
import { App, Validations } from 'aws-cdk-lib/core';
import { isInstalled } from '#shared/places.ts';
import { featureFlags } from './config/stage-numbers.ts';

/** How templates are made. */
export interface TemplateOptions {
  /**
   * Whether CloudFormation's rules and cdk-nag's judge them. Only a checkout has the rules: the
   * tests judge every option (ADR 51).
   */
  readonly isJudged: boolean;
  /** Their folder; the CDK's own variable says it if this does not. */
  readonly outdir?: string | undefined;
}

/** An app without a stage. */
export function openApp({ isJudged, outdir }: TemplateOptions): App {
  return new App({
    context: featureFlags,
    builtinCloudFormationValidation: isJudged && !isInstalled,
    ...(outdir === undefined ? {} : { outdir }),
  });
}

/** Writes the templates of an app. */
export async function writeTemplates(app: App, { isJudged }: TemplateOptions): Promise<void> {
  if (isJudged && !isInstalled) {
    // The whole CDK comes with it, so it is imported only to judge something.
    const { AwsSolutionsChecks, ServerlessChecks } = await import('cdk-nag');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(), new ServerlessChecks());
  }
  app.synth();
}
