/** What the page of settings reads of a deployed configuration; other parts go along as they are. */
import * as z from 'zod';

const run = z
  .object({
    name: z.string(),
    campaign: z.string(),
    stopAfter: z.string().optional(),
    project: z.string().optional(),
    campaignRunIds: z.array(z.string()).optional(),
    guards: z
      .object({
        overlap: z.string().optional(),
        longestRun: z.string().optional(),
        minimumGap: z.string().optional(),
        startsPerMonth: z.number().optional(),
      })
      .loose()
      .optional(),
    confirm: z.object({ within: z.string() }).optional(),
  })
  .loose();
const blackoutWindow = z
  .object({
    from: z.string().optional(),
    to: z.string().optional(),
    expression: z.string().optional(),
    timezone: z.string().optional(),
    lasts: z.string().optional(),
  })
  .loose();
const blackout = z
  .object({
    name: z.string(),
    starts: z.enum(['skip', 'defer']),
    campaigns: z.array(z.string()).optional(),
    window: blackoutWindow.optional(),
  })
  .loose();
const rule = z
  .object({
    prefix: z.string(),
    file: z.object({ maxBytes: z.number() }).optional(),
    check: z.string().optional(),
    sidecar: z.object({ within: z.string() }).optional(),
    versions: z.string().optional(),
    thenStart: z.string().optional(),
  })
  .loose();
const change = z.object({ match: z.record(z.string(), z.string()), start: z.string() }).loose();
const packageWatch = z
  .object({
    name: z.string(),
    expression: z.string(),
    filters: z.record(z.string(), z.unknown()).optional(),
    onChange: z.array(change),
    settle: z.string().optional(),
  })
  .loose();
const projectWatch = z
  .object({
    name: z.string(),
    project: z.string(),
    expression: z.string(),
    onChange: z.array(change),
    endpoints: z.record(z.string(), z.string()).optional(),
  })
  .loose();
const notify = z
  .object({
    emails: z.array(z.string()),
    webhooks: z.array(z.object({ name: z.string(), kind: z.string() })),
    silentAfter: z.number(),
    silentAlso: z.array(z.string()),
    runIdsLow: z.number().optional(),
    also: z.array(z.string()).optional(),
  })
  .loose();
const gateway = z
  .object({
    baseUrl: z.string(),
    requestsPerSecond: z.record(z.string(), z.number()).optional(),
    startsRepeatSafely: z.boolean().optional(),
  })
  .loose();

/** What the page shows of a configuration; other parts go along as they are. No secret is in it. */
export const settingsConfig = z
  .object({
    mode: z.enum(['act', 'observe']).optional(),
    timezone: z.string().optional(),
    gateway: gateway.optional(),
    runs: z.record(z.string(), run).optional(),
    blackouts: z.array(blackout).optional(),
    packageWatches: z.array(packageWatch).optional(),
    projectWatches: z.array(projectWatch).optional(),
    datasetRules: z.array(rule).optional(),
    notify: notify.optional(),
  })
  .loose();

export type SettingsConfig = z.infer<typeof settingsConfig>;

/** Its parts. */
export interface SettingsParts {
  readonly run: z.infer<typeof run>;
  readonly blackout: z.infer<typeof blackout>;
  readonly change: z.infer<typeof change>;
  readonly packageWatch: z.infer<typeof packageWatch>;
  readonly projectWatch: z.infer<typeof projectWatch>;
  readonly rule: z.infer<typeof rule>;
  readonly gateway: z.infer<typeof gateway>;
  readonly notify: z.infer<typeof notify>;
}
