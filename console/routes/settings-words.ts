/** The deployed configuration in words: a line for each part of it, and its settings by their paths. */
import { counted, roughly } from '#operator/readable.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { SettingsAnswer } from '../api.ts';
import type { SettingsParts, SettingsConfig } from './settings-config.ts';

type Line = SettingsAnswer['table'][number];
type Setting = NonNullable<Line['settings']>[number];

/** A line for each part of the configuration. Instants stay as they are: the page writes them in its zone. Pure. */
export function settingsTable(config: SettingsConfig): readonly Line[] {
  return [
    ...(config.mode === undefined ? [] : [modeLine(config.mode)]),
    ...(config.gateway === undefined ? [] : [gatewayLine(config.gateway)]),
    ...Object.values(config.runs ?? {}).map(runLine),
    ...Object.values(Object.groupBy(config.blackouts ?? [], ({ name }) => name)).flatMap(blackoutLine),
    ...(config.packageWatches ?? []).map(packageWatchLine),
    ...(config.projectWatches ?? []).map(projectWatchLine),
    ...(config.datasetRules ?? []).map(ruleLine),
    ...(config.notify === undefined ? [] : [notifyLine(config.notify)]),
  ];
}

function modeLine(mode: 'act' | 'observe'): Line {
  const does =
    mode === 'act'
      ? 'starts, stops and registers at the gateway'
      : 'reads and judges everything, and sends nothing that changes the gateway';
  return { part: 'Mode', name: mode, does };
}

function gatewayLine({ baseUrl, ...settings }: SettingsParts['gateway']): Line {
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

function runLine({ name, campaign, ...settings }: SettingsParts['run']): Line {
  const { stopAfter, campaignRunIds, confirm, project, guards = {} } = settings;
  const { overlap = '', minimumGap, startsPerMonth, longestRun } = guards;
  const does = sentences([
    `belongs to the campaign ${campaign}${project === undefined ? '' : `, which attacks the project ${project}`}`,
    campaignRunIds && `each start uses one of ${campaignRunIds.length} campaign run ids, then those that are bound`,
    stopAfter === undefined ? undefined : `it is stopped after ${lengthOf(stopAfter)}`,
    longestRun === undefined ? undefined : `without a stop it counts as in flight for ${lengthOf(longestRun)}`,
    overlaps[overlap],
    minimumGap === undefined ? undefined : `starts are at least ${lengthOf(minimumGap)} apart`,
    startsPerMonth === undefined ? undefined : `at most ${startsPerMonth} starts a month`,
    confirm && `its campaign is to show it within ${lengthOf(confirm.within)}`,
  ]);
  return { part: 'Runs', name, does, settings: settingsOf(settings) };
}

/** One of whole days is deployed as several of one name. */
function blackoutLine(blackouts: readonly SettingsParts['blackout'][] = []): readonly Line[] {
  const [first] = blackouts;
  if (first === undefined) return [];
  const { name, starts, campaigns, ...settings } = first;
  const whose = campaigns === undefined ? 'every start' : `starts of ${campaigns.join(', ')}`;
  const does = starts === 'skip' ? `skips ${whose}` : `defers ${whose} until its end`;
  const whens = blackouts.map(({ window: { from, to, expression, timezone = '', lasts = '' } = {} }) =>
    expression === undefined
      ? from && to && `from ${from} to ${to}`
      : `begins at ${expression} ${timezone} and lasts ${lengthOf(lasts)}`,
  );
  const { window: _window, ...plain } = settings;
  const shown = blackouts.length > 1 ? plain : settings;
  return [{ part: 'Blackouts', name, does: sentences([does, ...whens]), settings: settingsOf(shown) }];
}

function ruleLine({ prefix, ...settings }: SettingsParts['rule']): Line {
  const { file, check, sidecar, versions, thenStart } = settings;
  const does = sentences([
    'registers files under it as datasets',
    file && `each is sent itself, up to ${file.maxBytes / 1e6} MB`,
    check === undefined || check === 'none' ? undefined : `each is checked as ${check}`,
    sidecar && `it waits for the description of a file for ${lengthOf(sidecar.within)}`,
    versions === 'latest' && 'only the latest version of a key is registered',
    thenStart === undefined ? undefined : `then ${thenStart} is started`,
  ]);
  return { part: 'Upload rules', name: prefix, does, settings: settingsOf(settings) };
}

function packageWatchLine({ name, ...settings }: SettingsParts['packageWatch']): Line {
  const { expression, filters = {}, onChange, settle } = settings;
  const listed = Object.entries(filters).map(([filter, value]) => `${filter} ${String(value)}`);
  const does = sentences([
    `lists the scanner packages ${often(expression)}${listed.length === 0 ? '' : `, of ${listed.join(', ')}`}`,
    ...onChange.map(changeWords),
    onChange.length === 0 && 'a change is reported, and starts nothing',
    settle && `it waits ${lengthOf(settle)} for more changes before it starts a run`,
  ]);
  return { part: 'Watches', name, does, settings: settingsOf(settings) };
}

function projectWatchLine({ name, ...settings }: SettingsParts['projectWatch']): Line {
  const { project, expression, onChange, endpoints } = settings;
  const does = sentences([
    `reads the configuration of the project ${project} ${often(expression)}`,
    ...onChange.map(changeWords),
    onChange.length === 0 && 'a change is reported, and starts nothing',
    endpoints && 'reports deprecated endpoints that are still in use, once a day',
  ]);
  return { part: 'Watches', name, does, settings: settingsOf(settings) };
}

/** `every 15 minutes` of `rate(15 minutes)`. */
function often(expression: string): string {
  return expression.replace(/^rate\((.*)\)$/, 'every $1');
}

/** An empty match takes every change. */
function changeWords({ match, start }: SettingsParts['change']): string {
  const of = Object.entries(match).map(([field, value]) => `${field} ${value}`);
  return `${of.length === 0 ? 'any change' : `a change with ${of.join(', ')}`} starts ${start}`;
}

function notifyLine({
  emails,
  webhooks,
  silentAfter,
  silentAlso,
  runIdsLow,
  also = [],
}: SettingsParts['notify']): Line {
  const does = sentences([
    emails.length === 0 ? 'no mail is sent' : `mails go to ${emails.join(', ')}`,
    webhooks.length > 0 && `webhooks get notices: ${webhooks.map(({ name, kind }) => `${name} (${kind})`).join(', ')}`,
    `an alert after ${counted(silentAfter, 'occurrence')} without a start`,
    runIdsLow === undefined ? undefined : `an alert if a run has fewer than ${counted(runIdsLow, 'unused id')}`,
    silentAlso.includes('blackouts') && 'an occurrence in a blackout counts too',
    silentAlso.includes('observe') && 'an occurrence counts too while the stage only observes',
    also.length > 0 && `good news is sent too: ${also.join(', ')}`,
  ]);
  return { part: 'Notices', name: 'notify', does };
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
