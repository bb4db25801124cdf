import * as z from 'zod';
import type { ReadText } from './ca-bundle.ts';
import { campaign, campaignsExample } from './campaign-schema.ts';
import { datasetRule } from './dataset-rule-schema.ts';
import { deployment } from './deployment-schema.ts';
import { gatewaySchema } from './gateway-schema.ts';
import { notify } from './notify-schema.ts';
import { blackoutSchema, schedule } from './schedule-schema.ts';
import { named, section } from './section.ts';
import { listOf, zoneSchema } from './value-schemas.ts';
import { packageWatch, projectWatch } from './watch-schema.ts';

/**
 * A stage's document: each setting with its doc comment, its check and its default; `cross-references.ts` has what takes two places to see.
 * `z.input` is the document as people write it (`automation.ts`), `z.output` what is made of it.
 */
export function automationSchema(options: {
  readonly isLocalStage: boolean;
  readonly readText?: ReadText | undefined;
  readonly now: Date;
}) {
  return section({
    /** The gateway that this stage works with. */
    gateway: gatewaySchema(options),
    /** `observe`: everything is read and judged; nothing is started, stopped or registered. `autopilot history` says what would have been. Watch a week of it before you trust a token. */
    mode: z.enum(['act', 'observe']).default('act'),
    /** IANA zone that schedules, dates in names, months of a budget and summaries use. */
    timezone: zoneSchema,
    /** Campaigns by a name of your own. Run names are unique over all campaigns. */
    campaigns: named('campaign', campaign, campaignsExample),
    /** Starts and stops at their times. */
    schedules: listOf(schedule).default([]),
    /** Times at which no start is sent, of any origin. */
    blackouts: listOf(blackoutSchema(options)).default([]),
    /** Scanner package listings to watch. */
    scannerPackages: listOf(packageWatch).default([]),
    /** Configurations of projects to watch: a new version of a scanner shows there. */
    projects: listOf(projectWatch).default([]),
    /** Rules for objects under `datasets/`; the longest matching prefix decides. */
    datasets: listOf(datasetRule).default([]),
    /** Where alarms and notices go. @default nowhere: subscribe to the stage's topic */
    notify: notify.prefault({}),
    /** The rules of the AWS account that the stage is deployed into; a stage on one machine takes nothing of it. */
    deployment: deployment.prefault({}),
  });
}

/** A document as it is read: with defaults, durations in ISO 8601, and the files that it names. */
export type ReadDocument = z.output<ReturnType<typeof automationSchema>>;
