/** The deployed configuration in words: a line for each part of it. */
import { counted, roughly } from '#operator/readable.ts';
import type { ConfigPart, ResolvedAutomation, ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import { alarmNameOf } from '#shared/ledger/switches.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { SettingsAnswer } from '../api.ts';

type Line = SettingsAnswer['table'][number];

/** The configuration as the stage answers it. One of another version may lack a part. */
export type SettingsConfig = Partial<ConfigPart<'answer-questions'>>;

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

function gatewayLine({ baseUrl, requestsPerSecond, startsRepeatSafely }: ResolvedAutomation['gateway']): Line {
  const rates = Object.entries(requestsPerSecond).map(([what, count]) => `${what} ${count}`);
  const does = sentences([
    `gets at most so many requests a second: ${rates.join(', ')}`,
    startsRepeatSafely && 'a start may be sent to it again without harm',
  ]);
  return { part: 'Gateway', name: baseUrl, does };
}

const overlaps: Readonly<Record<ResolvedRun['guards']['overlap'], string>> = {
  skip: 'a start while another run of its target is in flight is skipped',
  'stop-previous': 'a start while another run of its target is in flight stops that one first',
  allow: 'a start while another run of its target is in flight is let through',
};

function runLine({ name, campaign, stopAfter, campaignRunIds, confirm, project, guards }: ResolvedRun): Line {
  const { overlap, minimumGap, startsPerMonth, longestRun, haltOn = [] } = guards;
  const does = sentences([
    `belongs to the campaign ${campaign}${project === undefined ? '' : `, which attacks the project ${project}`}`,
    `each start uses one of ${campaignRunIds.length} campaign run ids, then those that are bound`,
    stopAfter === undefined ? undefined : `it is stopped after ${lengthOf(stopAfter)}`,
    longestRun === undefined ? undefined : `without a stop it counts as in flight for ${lengthOf(longestRun)}`,
    overlaps[overlap],
    minimumGap === undefined ? undefined : `starts are at least ${lengthOf(minimumGap)} apart`,
    startsPerMonth === undefined ? undefined : `at most ${startsPerMonth} starts a month`,
    haltOn.length > 0 &&
      `nothing starts, and its runs are stopped, while an alarm rings: ${haltOn.map(alarmNameOf).join(', ')}`,
    confirm && `its campaign is to show it within ${lengthOf(confirm.within)}`,
  ]);
  return { part: 'Runs', name, does };
}

/** One of whole days is deployed as several of one name. */
function blackoutLine(blackouts: SettingsConfig['blackouts'] = []): readonly Line[] {
  const [first] = blackouts;
  if (first === undefined) return [];
  const { name, starts, campaigns } = first;
  const whose = campaigns === undefined ? 'every start' : `starts of ${campaigns.join(', ')}`;
  const does = starts === 'skip' ? `skips ${whose}` : `defers ${whose} until its end`;
  return [{ part: 'Blackouts', name, does: sentences([does, ...blackouts.map(whenOf)]) }];
}

function whenOf({ window }: ResolvedAutomation['blackouts'][number]): string {
  switch (window.kind) {
    case 'once':
      return `from ${window.from} to ${window.to}`;
    case 'recurring':
      return `begins at ${window.expression} ${window.timezone} and lasts ${lengthOf(window.lasts)}`;
    case 'calendar':
      return `follows the calendar ${window.arn}`;
  }
}

function ruleLine(rule: ResolvedAutomation['datasetRules'][number]): Line {
  const { prefix, file, check, sidecar, versions, thenStart } = rule;
  const does = sentences([
    'registers files under it as datasets',
    file && `each is sent itself, up to ${file.maxBytes / 1e6} MB`,
    check !== 'none' && `each is checked as ${check}`,
    sidecar && `it waits for the description of a file for ${lengthOf(sidecar.within)}`,
    versions === 'latest' && 'only the latest version of a key is registered',
    thenStart === undefined ? undefined : `then ${thenStart} is started`,
  ]);
  return { part: 'Upload rules', name: prefix, does };
}

function packageWatchLine(watch: ResolvedAutomation['packageWatches'][number]): Line {
  const { name, expression, filters, onChange, settle } = watch;
  const listed = Object.entries(filters).map(([filter, value]) => `${filter} ${String(value)}`);
  const does = sentences([
    `lists the scanner packages ${often(expression)}${listed.length === 0 ? '' : `, of ${listed.join(', ')}`}`,
    ...onChange.map(changeWords),
    onChange.length === 0 && 'a change is reported, and starts nothing',
    settle && `it waits ${lengthOf(settle)} for more changes before it starts a run`,
  ]);
  return { part: 'Watches', name, does };
}

function projectWatchLine(watch: ResolvedAutomation['projectWatches'][number]): Line {
  const { name, project, expression, onChange, endpoints } = watch;
  const does = sentences([
    `reads the configuration of the project ${project} ${often(expression)}`,
    ...onChange.map(changeWords),
    onChange.length === 0 && 'a change is reported, and starts nothing',
    endpoints && 'reports deprecated endpoints that are still in use, once a day',
  ]);
  return { part: 'Watches', name, does };
}

/** `every 15 minutes` of `rate(15 minutes)`. */
function often(expression: string): string {
  return expression.replace(/^rate\((.*)\)$/, 'every $1');
}

/** An empty match takes every change. */
function changeWords({ match, start }: { readonly match: object; readonly start: string }): string {
  const of = Object.entries(match).map(([field, value]) => `${field} ${value}`);
  return `${of.length === 0 ? 'any change' : `a change with ${of.join(', ')}`} starts ${start}`;
}

function notifyLine(notify: NonNullable<SettingsConfig['notify']>): Line {
  const { emails, webhooks, silentAfter, silentAlso, runIdsLow, also } = notify;
  const does = sentences([
    emails.length === 0 ? 'no mail is sent' : `mails go to ${emails.join(', ')}`,
    webhooks.length > 0 && `webhooks get notices: ${webhooks.map(({ name, kind }) => `${name} (${kind})`).join(', ')}`,
    `an alert after ${counted(silentAfter, 'occurrence')} without a start`,
    `an alert if a run has fewer than ${counted(runIdsLow, 'unused id')}`,
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
