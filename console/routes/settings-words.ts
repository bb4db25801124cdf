/** The deployed configuration in words: a line for each part of it, and its settings by their paths. */
import * as z from 'zod';
import { roughly } from '#operator/readable.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { SettingsAnswer } from '../api.ts';

const run = z
  .object({
    name: z.string(),
    campaign: z.string(),
    stopAfter: z.string().optional(),
    project: z.string().optional(),
    pool: z
      .object({ kind: z.string(), campaignRunIds: z.array(z.string()).optional() })
      .loose()
      .optional(),
    guards: z
      .object({
        overlap: z.string().optional(),
        longestRun: z.string().optional(),
        minimumGap: z.string().optional(),
        startsPerMonth: z.number().optional(),
      })
      .loose()
      .optional(),
    confirm: z.object({ by: z.string(), within: z.string() }).optional(),
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
    check: z.string().optional(),
    sidecar: z.object({ within: z.string() }).optional(),
    versions: z.string().optional(),
    thenStart: z.string().optional(),
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
export const shownConfig = z
  .object({
    mode: z.enum(['act', 'observe']).optional(),
    timezone: z.string().optional(),
    gateway: gateway.optional(),
    runs: z.record(z.string(), run).optional(),
    blackouts: z.array(blackout).optional(),
    datasetRules: z.array(rule).optional(),
  })
  .loose();

type Line = SettingsAnswer['table'][number];
type Setting = NonNullable<Line['settings']>[number];

/** A line for each part of the configuration. Instants stay as they are: the page writes them in its zone. Pure. */
export function settingsTable(config: z.infer<typeof shownConfig>): readonly Line[] {
  return [
    ...(config.mode === undefined ? [] : [modeLine(config.mode)]),
    ...(config.gateway === undefined ? [] : [gatewayLine(config.gateway)]),
    ...Object.values(config.runs ?? {}).map(runLine),
    ...(config.blackouts ?? []).map(blackoutLine),
    ...(config.datasetRules ?? []).map(ruleLine),
  ];
}

function modeLine(mode: 'act' | 'observe'): Line {
  const does =
    mode === 'act'
      ? 'starts, stops and registers at the gateway'
      : 'reads and judges everything, and sends nothing that changes the gateway';
  return { part: 'Mode', name: mode, does };
}

function gatewayLine({ baseUrl, ...settings }: z.infer<typeof gateway>): Line {
  const rates = Object.entries(settings.requestsPerSecond ?? {}).map(([what, count]) => `${what} ${count}`);
  const does = sentences([
    rates.length === 0 ? undefined : `gets at most so many requests a second: ${rates.join(', ')}`,
    settings.startsRepeatSafely === true && 'a start may be sent to it again without harm',
  ]);
  return { part: 'Gateway', name: baseUrl, does: does || 'is called by every worker', settings: settingsOf(settings) };
}

const overlaps: Readonly<Record<string, string>> = {
  skip: 'a start while another run of its target is in flight is skipped',
  'stop-previous': 'a start while another run of its target is in flight stops that one first',
  allow: 'a start while another run of its target is in flight is let through',
};

function runLine({ name, campaign, ...settings }: z.infer<typeof run>): Line {
  const { stopAfter, pool, confirm, project, guards = {} } = settings;
  const { overlap = '', minimumGap, startsPerMonth, longestRun } = guards;
  const ids = pool?.campaignRunIds?.length;
  const does = sentences([
    `belongs to the campaign ${campaign}${project === undefined ? '' : `, which attacks the project ${project}`}`,
    ids === undefined ? undefined : `each start uses one of ${ids} campaign run ids`,
    stopAfter === undefined ? undefined : `it is stopped after ${lengthOf(stopAfter)}`,
    longestRun === undefined ? undefined : `without a stop it counts as in flight for ${lengthOf(longestRun)}`,
    overlaps[overlap],
    minimumGap === undefined ? undefined : `starts are at least ${lengthOf(minimumGap)} apart`,
    startsPerMonth === undefined ? undefined : `at most ${startsPerMonth} starts a month`,
    confirm && `the gateway is to show it by ${confirm.by} within ${lengthOf(confirm.within)}`,
  ]);
  return { part: 'Runs', name, does, settings: settingsOf(settings) };
}

function blackoutLine({ name, starts, campaigns, ...settings }: z.infer<typeof blackout>): Line {
  const whose = campaigns === undefined ? 'every start' : `starts of ${campaigns.join(', ')}`;
  const does = starts === 'skip' ? `skips ${whose}` : `puts ${whose} off until its end`;
  const { from, to, expression, timezone = '', lasts = '' } = settings.window ?? {};
  const when =
    expression === undefined
      ? from && to && `from ${from} to ${to}`
      : `begins at ${expression} ${timezone} and lasts ${lengthOf(lasts)}`;
  return { part: 'Blackouts', name, does: sentences([does, when]), settings: settingsOf(settings) };
}

function ruleLine({ prefix, ...settings }: z.infer<typeof rule>): Line {
  const { check, sidecar, versions, thenStart } = settings;
  const does = sentences([
    'registers files under it as datasets',
    check === undefined || check === 'none' ? undefined : `each is checked as ${check}`,
    sidecar && `it waits for the description of a file for ${lengthOf(sidecar.within)}`,
    versions === 'latest' && 'only the latest version of a key is registered',
    thenStart === undefined ? undefined : `then ${thenStart} is started`,
  ]);
  return { part: 'Upload rules', name: prefix, does, settings: settingsOf(settings) };
}

function sentences(parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join('; ');
}

/** `8 h` of `PT8H`. */
function lengthOf(text: string): string {
  const milliseconds = durationMs(text);
  return milliseconds === undefined ? text : roughly(milliseconds);
}

/** Each setting by its path, `guards.overlap` for one: a list of more than three gives its first two. */
function settingsOf(value: unknown, path = ''): readonly Setting[] {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) {
    const [first = '', second = ''] = value;
    const isLong = value.length > 3;
    return [{ name: path, value: isLong ? `${first}, ${second} and ${value.length - 2} more` : value.join(', ') }];
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, each]) => settingsOf(each, path === '' ? key : `${path}.${key}`));
  }
  return [{ name: path, value: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') }];
}
