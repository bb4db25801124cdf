import * as z from 'zod';
import { listingFilters } from '../../gateway-client/endpoints/scanner-packages.ts';
import { parsed, parseDuration } from '../../schedule/duration.ts';
import { parseScheduleExpression } from '../../schedule/schedule-expression.ts';
import type { AutomationDocument } from '../automation.ts';
import { readCalendarFile } from '../calendar-file.ts';
import { checkBaseUrl, checkProxy, readCaBundle, type ReadText } from '../check-base-url.ts';
import { deployment } from './deployment-schema.ts';
import { didYouMean } from '../../text/did-you-mean.ts';
import {
  alarmArn,
  checked,
  count,
  calendarOf,
  cron,
  datasetPlaceholders,
  durationBy,
  durationWithin,
  email,
  errorStatus,
  filled,
  instant,
  localDate,
  localTimeSchema,
  named,
  nameOf,
  parseTemplate,
  period,
  prefix,
  rate,
  gatewayRunName,
  secretName,
  section,
  textEncoding,
  uuid,
  walkParameters,
  zoneSchema,
} from './value-schemas.ts';
import { mostReady } from '../resolve/keep-ready.ts';
import { datasetFields, namePattern, nameRule, watchNamePattern, watchNameRule } from '../names.ts';

/**
 * The structure of a stage's document and every value that can be judged alone;
 * `cross-references.ts` has the rest.
 */
export function automationSchema(options: {
  readonly isLocalStage: boolean;
  readonly readText?: ReadText | undefined;
  readonly now: Date;
}) {
  const gateway = section(
    {
      baseUrl: checked((url) => checkBaseUrl(url, options), 'https://gateway.example.com'),
      caBundle: checked((path) => readCaBundle(path, options.readText)).optional(),
      proxy: checked(checkProxy).optional(),
      status: section({ start: filled.optional(), stop: filled.optional() }, "{ stop: 'cancelled' }").optional(),
      startLead: durationBy(undefined, '1 minute').optional(),
      requestsPerSecond: section({
        datasets: rate(0.1).optional(),
        runs: rate(0.4).optional(),
        reads: rate(0.1).optional(),
      }).optional(),
      alreadyInState: section(
        { start: z.array(filled).optional(), stop: z.array(filled).optional() },
        "{ stop: ['already cancelled'] }",
      ).optional(),
      startsRepeatSafely: z.boolean().optional(),
      readsRuns: z.boolean().optional(),
      makesRuns: z.boolean().optional(),
      postMayRepeatOn: z.array(errorStatus).optional(),
      scannerVersionsAs: z.enum(['array', 'comma-separated', 'json-text']).optional(),
    },
    "{ baseUrl: 'https://gateway.example.com' }",
  );

  return section({
    gateway,
    mode: z.enum(['act', 'observe']).optional(),
    timezone: zoneSchema,
    campaigns: named('campaign', campaign, `{ 'chat-bot': { runs: ${runsExample} } }`),
    schedules: z.array(schedule).optional(),
    blackouts: z.array(blackout(options)).optional(),
    scannerPackages: z.array(packageWatch).optional(),
    projects: z.array(projectWatch).optional(),
    datasets: z.array(datasetRule).optional(),
    notify: section({
      emails: z.array(email).optional(),
      webhooks: z.array(webhook).max(mostWebhooks).optional(),
      silentAfter: count.optional(),
      silentAlso: z.array(z.enum(['blackouts', 'observe'])).optional(),
      runIdsLow: count.optional(),
      also: z.array(z.enum(['started', 'stopped', 'ended', 'registered'])).optional(),
    }).optional(),
    deployment: deployment.optional(),
  }) satisfies z.ZodType<AutomationDocument>;
}

const runsExample = "{ nightly: { campaignRunIds: ['019ba000-0000-7000-8000-000000000301'], stopAfter: '8 hours' } }";

/**
 * A rule of EventBridge has at most five targets (EventBridge quotas), one of them the stage's
 * topic.
 */
const mostWebhooks = 4;

const webhook = section({
  name: nameOf(watchNamePattern, watchNameRule), // part of a target's id, which has 64 characters
  kind: z.enum(['slack', 'teams', 'json']),
  secret: secretName,
});

/** A score of a gateway is a number of 0 to 100. */
const points = z
  .number({ error: 'is no number of 0 to 100.' })
  .min(0, { error: 'is below 0.' })
  .max(100, { error: 'is above 100.' });

/** A schedule of the gateway takes no more. */
const mostProviders = 5;

const run = section({
  campaignRunIds: z.array(uuid).optional(),
  providerIds: z
    .array(uuid)
    .min(1, { error: 'names no provider.' })
    .max(mostProviders, { error: `names more than ${mostProviders} providers.` })
    .optional(),
  keepReady: count
    .refine((ready) => ready <= mostReady, { error: `is more than ${mostReady}, the most that are kept.` })
    .optional(),
  stopAfter: durationBy().optional(),
  name: gatewayRunName.optional(),
  preserve: z.union([z.boolean(), filled]).optional(),
  score: section({ atLeast: points.optional(), mayFallBy: points.optional() }, '{ atLeast: 80, mayFallBy: 5 }')
    .refine(({ atLeast, mayFallBy }) => (atLeast ?? mayFallBy) !== undefined, {
      error: 'has neither atLeast nor mayFallBy, for example { atLeast: 80, mayFallBy: 5 }.',
    })
    .optional(),
});

/** A pattern of EventBridge has at most 2,048 characters (EventBridge quotas), and the ARN of an alarm some 320. */
const mostAlarms = 5;

const campaign = section(
  {
    campaignId: uuid.optional(),
    project: filled.optional(),
    overlap: z.enum(['skip', 'stop-previous', 'allow']).optional(),
    target: nameOf(namePattern, nameRule).optional(),
    longestRun: durationBy().optional(),
    minimumGap: durationBy().optional(),
    startsPerMonth: count.optional(),
    haltOn: z
      .array(alarmArn)
      .min(1, { error: 'names no alarm.' })
      .max(mostAlarms, { error: `names more than ${mostAlarms} alarms.` })
      .optional(),
    confirm: z.boolean().optional(),
    confirmWithin: durationBy().optional(),
    runs: named('run', run, runsExample),
  },
  `{ runs: ${runsExample} }`,
);

/** A command that waits is given up after a day, and Scheduler tries for as long. */
const missedWithin = durationWithin(24, 'a day, the longest that a start is kept.', '12 hours');

/** The validity and the delay of a command have at most 31 days. */
const inCommand = (example: string) => durationWithin(31 * 24, '31 days, the longest that a command takes.', example);

const schedule = section(
  {
    name: nameOf(namePattern, nameRule),
    start: filled.optional(),
    stop: filled.optional(),
    at: checked(parseScheduleExpression, 'cron(0 22 ? * MON-FRI *)'),
    timezone: zoneSchema.optional(),
    validFor: inCommand('30 minutes').optional(),
    missed: z.literal('once').optional(),
    missedWithin: missedWithin.optional(),
    startDelay: inCommand('15 minutes').optional(),
    startDate: instant.optional(),
    enabled: z.boolean().optional(),
    silentAfter: count.optional(),
  },
  "{ name: 'weeknights', start: 'nightly', at: 'cron(0 22 ? * MON-FRI *)' }",
);

function blackout(options: { readonly readText?: ReadText | undefined; readonly now: Date }) {
  // Its zone decides its times, and not if the file can be read.
  const readFile = (path: string) => readCalendarFile(path, { ...options, timezone: 'UTC' });
  return section({
    name: filled,
    from: localTimeSchema.optional(),
    to: localTimeSchema.optional(),
    at: cron.optional(),
    lasts: durationBy().optional(),
    calendar: calendarOf(readFile).optional(),
    dates: z.array(localDate).min(1, { error: 'names no day.' }).optional(),
    timezone: zoneSchema.optional(),
    starts: z.enum(['skip', 'defer']).optional(),
    campaigns: z.array(filled).optional(),
  });
}

const filterName = z.string().superRefine((name, context) => {
  const own: readonly string[] = walkParameters;
  if (own.includes(name)) {
    context.addIssue({ code: 'custom', message: `${name} belongs to the walk over all pages and cannot be a filter.` });
  } else if (!(listingFilters as readonly string[]).includes(name)) {
    const message = `"${name}" is no filter of the listing${didYouMean(name, listingFilters)} (known: ${listingFilters.join(', ')})`;
    context.addIssue({ code: 'custom', message });
  }
});

const packageWatch = section({
  name: nameOf(watchNamePattern, watchNameRule),
  every: period,
  filters: z.record(filterName, z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  onChange: z
    .array(
      section({
        match: section({
          name: filled.optional(),
          id: filled.optional(),
          direction: filled.optional(),
          source: filled.optional(),
          field: filled.optional(),
          kind: z.enum(['added', 'changed', 'removed']).optional(),
        }),
        start: filled,
      }),
    )
    .optional(),
  settle: durationBy((text) => (text === 'none' ? parsed(text) : parseDuration(text)), '10 minutes').optional(),
});

const projectWatch = section({
  project: filled,
  name: nameOf(watchNamePattern, watchNameRule).optional(),
  every: period,
  onChange: z
    .array(
      section({
        match: section({
          field: filled.optional(),
          kind: z.enum(['added', 'changed', 'removed']).optional(),
        }),
        start: filled,
      }),
    )
    .optional(),
  endpoints: section({ groupId: filled.optional(), chatbotId: filled.optional() }).optional(),
});

/** What is not done within a day is parked for that. */
const sidecarWait = durationWithin(12, '12 hours, the longest that an upload waits for its sidecar.', '15 minutes');

const datasetTemplate = checked((text) => parseTemplate(text, datasetPlaceholders));

/** The function has memory for four of them, each once as it is and once encrypted on its way, beside one that is checked. */
export const mostFileBytes = 15_000_000;

const fileBytes = z.number().refine((bytes) => Number.isInteger(bytes) && bytes >= 1 && bytes <= mostFileBytes, {
  error: ({ input }) => `is ${String(input)}; a whole number of bytes from 1 to ${mostFileBytes} is wanted.`,
});

/** What to write in the place of a text. */
function listOfVersions({ input }: { readonly input?: unknown }): string {
  return `a list\n['${typeof input === 'string' ? input : '2026-02'}']`;
}

const nameEnd = z.string().regex(/^\.[\w.-]+$/, { error: "is no end of a name; one such as '.csv' is wanted." });

const datasetRule = section({
  prefix,
  send: z.enum(['file', 'reference']).optional(),
  maxBytes: fileBytes.optional(),
  fileId: datasetTemplate.optional(),
  name: datasetTemplate.optional(),
  scannerId: filled.optional(),
  scannerPackageId: filled.optional(),
  scannerVersions: z.array(filled, { error: listOfVersions }).min(1).optional(),
  locked: z.union([z.literal(true), z.array(z.enum(datasetFields))]).optional(),
  sidecar: z.literal('required').optional(),
  sidecarWithin: sidecarWait.optional(),
  versions: z.enum(['every', 'latest']).optional(),
  check: z.enum(['prompt-label-csv', 'none']).optional(),
  only: z.array(nameEnd).min(1).optional(),
  convert: z.boolean().optional(),
  promptColumn: filled.optional(),
  labelColumn: filled.optional(),
  labels: section({ true: z.array(filled).min(1), false: z.array(filled).min(1) }).optional(),
  label: z.boolean().optional(),
  encoding: textEncoding.optional(),
  sheet: filled.optional(),
  thenStart: filled.optional(),
  announce: z.boolean().optional(),
  since: instant.optional(),
});
