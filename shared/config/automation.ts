/** What people write in `automation.config.ts`. Each setting, with its comment, stands in `schema/`; nothing of it is loaded here. */
import type * as z from 'zod';
import type { automationSchema } from './schema/automation-schema.ts';
import type { campaign, run, score } from './schema/campaign-schema.ts';
import type { datasetRule } from './schema/dataset-rule-schema.ts';
import type { deployment } from './schema/deployment-schema.ts';
import type { gatewaySchema } from './schema/gateway-schema.ts';
import type { notify, webhook } from './schema/notify-schema.ts';
import type { blackoutSchema, schedule } from './schema/schedule-schema.ts';
import type { packageChangeRule, packageWatch, projectChangeRule, projectWatch } from './schema/watch-schema.ts';

/** One stage's whole automation. */
export type AutomationDocument = z.input<ReturnType<typeof automationSchema>>;

/** The gateway, and its own words. */
export type GatewayDocument = z.input<ReturnType<typeof gatewaySchema>>;

/** A campaign at the gateway and the runs that we start of it. */
export type CampaignDocument = z.input<typeof campaign>;

/** A named run: each start uses one id, of its list or of the runs that Autopilot makes. */
export type RunDocument = z.input<typeof run>;

/** Limits of a score, 0 to 100; higher is better. At least one of the two. */
export type ScoreDocument = z.input<typeof score>;

/** When to start or stop a run; exactly one of `start` and `stop`. */
export type ScheduleDocument = z.input<typeof schedule>;

/**
 * A time at which nothing is started: once (`from`, `to`), again and again (`at`, `lasts`), or on whole days (`dates`). A stop passes every
 * blackout.
 * @example { name: 'change freeze', calendar: 'arn:aws:ssm:eu-west-1:123456789012:document/change-freeze', starts: 'defer' }
 * @example { name: 'year-end freeze', from: '2026-12-19T00:00', to: '2027-01-04T00:00' }
 * @example { name: 'holidays', dates: ['2026-12-24', '2026-12-25'] }
 * @example { name: 'bank holidays', calendar: 'bank-holidays.ics' }
 * @example { name: 'office hours', at: 'cron(0 8 ? * MON-FRI *)', lasts: '10 hours', starts: 'defer' }
 */
export type BlackoutDocument = z.input<ReturnType<typeof blackoutSchema>>;

/** A scanner package listing of at most 5,000 packages that is walked regularly and compared with the last walk. */
export type PackageWatchDocument = z.input<typeof packageWatch>;

/** A change that starts a run. Patterns may hold `*`; every given one must match. */
export type PackageChangeRuleDocument = z.input<typeof packageChangeRule>;

/** A project whose configuration is read regularly and compared with the last look. */
export type ProjectWatchDocument = z.input<typeof projectWatch>;

/** A change of a project's configuration that starts a run. */
export type ProjectChangeRuleDocument = z.input<typeof projectChangeRule>;

/** How objects below a prefix become datasets. */
export type DatasetRuleDocument = z.input<typeof datasetRule>;

/** The addresses of a stage's alarms and notices. */
export type Notify = z.input<typeof notify>;

/**
 * A receiver of alarms and notices. Its address is a secret, so this names the secret and never the
 * address.
 */
export type WebhookDocument = z.input<typeof webhook>;

/**
 * What the owners of an AWS account ask of everything in it: each setting is independent, and off by
 * default (`docs/deploying.md`). What is written is what infra gets: none has a default to apply.
 */
export type Deployment = z.input<typeof deployment>;

/** What goes well: sent to people only if it is named. */
export type NewsKind = NonNullable<Notify['also']>[number];

/** Occurrences without a start that are on purpose: they count only if they are named. */
export type SilentAlso = NonNullable<Notify['silentAlso']>[number];

/** Checks a document's shape in the editor; it is read and checked in full at synth. */
export function defineAutomation(document: AutomationDocument): AutomationDocument {
  return document;
}

/** The stages of a configuration file, each a whole document; the file's default export. */
export function defineStages<const Stages extends Readonly<Record<string, AutomationDocument>>>(
  stages: Stages,
): Stages {
  return stages;
}
