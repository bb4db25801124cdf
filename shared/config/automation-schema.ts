import * as z from 'zod';
import { parseDuration } from '../schedule/duration.ts';
import { type Parsed, parsed, problem } from '../schedule/parsed.ts';
import { parseScheduleExpression } from '../schedule/schedule-expression.ts';
import { isTimeZone } from '../schedule/time-zone.ts';
import type { AutomationDocument } from './automation.ts';
import { checkBaseUrl } from './check-base-url.ts';
import { didYouMean } from './did-you-mean.ts';
import { listingFilters, walkParameters } from './listing-filters.ts';
import { datasetsPrefix, namePattern, nameRule, watchNamePattern, watchNameRule } from './names.ts';
import { datasetPlaceholders, parseTemplate, runNamePlaceholders } from './templates.ts';

/**
 * The structure of a stage's document and every value that can be judged alone. What takes two places to judge (names, references,
 * one of two) is in `cross-references.ts`, which runs whether this finds problems or not.
 */
export function automationSchema(options: { readonly isLocalStage: boolean }): z.ZodType<AutomationDocument> {
  const gateway = section({
    baseUrl: checked((url) => checkBaseUrl(url, options)),
    status: section({ start: filled, stop: filled }),
    requestsPerSecond: section({
      datasets: rate(0.1).optional(),
      runs: rate(0.4).optional(),
      reads: rate(0.1).optional(),
    }).optional(),
    alreadyInState: z.array(filled).optional(),
  });

  return section({
    gateway,
    timezone: zone,
    campaigns: named('campaign', campaign),
    schedules: z.array(schedule).optional(),
    scannerPackages: z.array(packageWatch).optional(),
    datasets: z.array(datasetRule).optional(),
    runPlans: section({ allowAnyRun: z.boolean().optional() }).optional(),
  });
}

/** An object that takes these keys and no others; each unknown key is a line of the issue's message. */
function section<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `is not a key here${didYouMean(key, known)} (known: ${known.join(', ')})`).join('\n')
        : undefined,
  });
}

/** A text that a reader takes; the reader's sentence is the problem. */
function checked(read: (text: string) => Parsed<unknown>) {
  return z.string().superRefine((text, context) => {
    const result = read(text);
    if (!result.ok) context.addIssue({ code: 'custom', message: result.problem });
  });
}

/** A record whose keys are names. */
function named<Value extends z.ZodType>(what: string, value: Value) {
  const key = z.string().refine((name) => namePattern.test(name), {
    error: ({ input }) => `"${String(input)}" cannot name a ${what}: a name is ${nameRule}.`,
  });
  return z.record(key, value);
}

function nameOf(pattern: RegExp, rule: string) {
  return checked((text) => (pattern.test(text) ? parsed(text) : problem(`"${text}" cannot be a name: it is ${rule}.`)));
}

const filled = checked((text) => (text.trim() === '' ? problem('is empty.') : parsed(text)));
const duration = checked(parseDuration);
const uuid = z.uuid({ error: ({ input }) => (typeof input === 'string' ? `"${input}" is not a uuid.` : undefined) });
/**
 * The least rate is what a function's time has room for: its environments share the rate, and one that waits for its turn longer than it
 * lives sends nothing, ever. A start is two requests of a function of 30 s; uploads and polls have minutes.
 */
function rate(least: number) {
  return z.number().min(least, {
    error: ({ input }) => `is ${String(input)}; at least ${least} requests a second, or nothing gets its turn.`,
  });
}
const instant = z.iso.datetime({
  offset: true,
  error: ({ input }) =>
    typeof input === 'string'
      ? `"${input}" is not an instant with its offset; write "2026-11-20T22:00:00Z" or "2026-11-20T22:00:00+01:00".`
      : undefined,
});
const zone = checked((text) =>
  isTimeZone(text)
    ? parsed(text)
    : problem(`"${text}" is not a time zone; write its IANA name, such as "Europe/Dublin" or "UTC".`),
);
const period = checked((text) => {
  const read = parseDuration(text);
  if (!read.ok || read.value.milliseconds % 60_000 === 0) return read;
  return problem(`"${text}" is not a whole number of minutes, and EventBridge Scheduler knows nothing smaller.`);
});
const prefix = checked((text) =>
  text.startsWith(datasetsPrefix)
    ? parsed(text)
    : problem(`"${text}" is not below ${datasetsPrefix}, the only place that uploads are taken from.`),
);

const run = section({
  campaignRunIds: z.array(uuid).optional(),
  campaignRunId: uuid.optional(),
  stopAfter: duration.optional(),
  name: checked((text) => parseTemplate(text, runNamePlaceholders)).optional(),
});

const campaign = section({
  campaignId: uuid.optional(),
  overlap: z.enum(['skip', 'allow']).optional(),
  target: nameOf(namePattern, nameRule).optional(),
  longestRun: duration.optional(),
  runs: named('run', run),
});

const schedule = section({
  name: nameOf(namePattern, nameRule),
  start: filled.optional(),
  stop: filled.optional(),
  at: checked(parseScheduleExpression),
  timezone: zone.optional(),
  validFor: duration.optional(),
  startDelay: duration.optional(),
  startDate: instant.optional(),
  enabled: z.boolean().optional(),
});

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
});

const datasetTemplate = checked((text) => parseTemplate(text, datasetPlaceholders));

const datasetRule = section({
  prefix,
  fileId: datasetTemplate.optional(),
  name: datasetTemplate.optional(),
  scannerId: filled.optional(),
  scannerPackageId: filled.optional(),
  scannerVersions: filled.optional(),
  check: z.enum(['prompt-label-csv', 'none']).optional(),
  thenStart: filled.optional(),
  announce: z.boolean().optional(),
});
