import {
  type ConfigProblem,
  defaultStopWord,
  formatPath,
  ownScheduleNames,
  packageWatchScheduleName,
  problemAt,
  problemsIf,
  projectWatchScheduleName,
  watchNamePattern,
  watchNameRule,
} from '../schema/names.ts';
import { clockGap } from '../../schedule/clock-changes.ts';
import { nextFireTimes, parseScheduleExpression } from '../../schedule/schedule-expression.ts';
import { isTimeZone } from '../../schedule/time-zone.ts';
import { didYouMean } from '../../text/did-you-mean.ts';
import { guardProblems } from './guard-references.ts';
import { type Item, itemsAt, type ConfigPlace, type PlacedText, textsAt, valuesAt } from '../schema/outline.ts';

/**
 * Every problem that takes two places of the document, or the time, to see; total for any document.
 */
export function crossReferenceProblems(document: unknown, now: Date): ConfigProblem[] {
  const root: ConfigPlace = { path: [], value: document };
  const items = (pattern: string) => itemsAt(root, pattern);
  const texts = (pattern: string) => textsAt(root, pattern);
  const runs = items('campaigns.*.runs.*').map(({ path, name }) => ({ path, text: name }));
  const schedules = items('schedules.#');
  const makesRuns = valuesAt(root, 'gateway.makesRuns')[0]?.value === true;
  const projectNames = items('projects.#').flatMap((watch) => watch.text('name') ?? watch.text('project') ?? []);
  return [
    ...items('gateway.status').flatMap(statusProblems),
    ...duplicates(runs, 'run names are unique over all campaigns, in any case'),
    ...duplicates(texts('campaigns.*.runs.*.campaignRunIds.#'), 'a campaign run is bound once'),
    ...items('campaigns.*').flatMap(endlessRuns),
    ...items('campaigns.*').flatMap((campaign) => madeRunProblems(campaign, makesRuns)),
    ...guardProblems(root),
    ...schedules.flatMap(scheduleProblems),
    ...schedules.flatMap((schedule) => pastTimes(schedule, texts('timezone')[0], now)),
    ...duplicates(
      [
        ...texts('scannerPackages.#.name').filter(isFirst).map(named(packageWatchScheduleName)),
        // A watch's own rule reports a repeated watch.
        ...projectNames.filter(isFirst).map(named(projectWatchScheduleName)),
        ...texts('schedules.#.name'),
      ],
      'schedules and watches share one group of names, in any case',
    ),
    ...texts('schedules.#.name').flatMap(takenName),
    ...duplicates(texts('scannerPackages.#.name'), 'names of watches are unique, in any case'),
    ...items('projects.#').flatMap(unnamedProject),
    ...items('scannerPackages.#.onChange.#.match').flatMap(neverMatching),
    ...duplicates(projectNames, 'names of watches are unique, in any case'),
    ...duplicates(texts('notify.webhooks.#.name'), 'names of webhooks are unique, in any case'),
    ...repeated(texts('datasets.#.prefix'), ({ text }) => text).map(({ place: { path, text }, first }) =>
      problemAt(path, `"${text}" is the prefix of ${first} too; nested prefixes are fine, equal ones are not.`),
    ),
    ...items('datasets.#').flatMap(datasetProblems),
    ...unknownRuns(
      runs.map(({ text }) => text),
      [
        ...texts('schedules.#.start'),
        ...texts('schedules.#.stop'),
        ...texts('scannerPackages.#.onChange.#.start'),
        ...texts('projects.#.onChange.#.start'),
        ...texts('datasets.#.thenStart'),
      ],
    ),
  ];
}

function statusProblems({ text }: Item): ConfigProblem[] {
  const [start, stop] = [text('start'), text('stop')];
  if (start === undefined || start.text === '' || start.text !== (stop?.text ?? defaultStopWord)) return [];
  const message = `is "${start.text}", the word that stops a run; the gateway's own words differ.`;
  return [problemAt(start.path, message)];
}

function endlessRuns(campaign: Item): ConfigProblem[] {
  const longestRun = formatPath([...campaign.path, 'longestRun']);
  const message = `needs stopAfter (such as "8 hours"), or ${longestRun}: nothing else says when the run ends.`;
  return itemsAt(campaign, 'runs.*').flatMap(({ path, has }) =>
    problemsIf(!has('stopAfter') && !campaign.has('longestRun'), path, message),
  );
}

/** A run has ids, or providers and a gateway that makes runs. */
function madeRunProblems(campaign: Item, makesRuns: boolean): ConfigProblem[] {
  const noIds = 'needs providerIds, for runs that Autopilot makes; or campaignRunIds ([] if all of its ids are bound).';
  const noGateway = 'is for runs that Autopilot makes: write makesRuns: true under gateway, or campaignRunIds here.';
  const noCampaign = 'needs the campaignId of its campaign: runs are made of that one.';
  return itemsAt(campaign, 'runs.*').flatMap(({ path, has }) => [
    ...problemsIf(makesRuns && !has('providerIds') && !has('campaignRunIds'), path, noIds),
    ...problemsIf(has('providerIds') && !makesRuns && !has('campaignRunIds'), [...path, 'providerIds'], noGateway),
    ...problemsIf(makesRuns && has('providerIds') && !campaign.has('campaignId'), [...path, 'providerIds'], noCampaign),
    ...problemsIf(has('keepReady') && !has('providerIds'), [...path, 'keepReady'], 'needs providerIds beside it.'),
  ]);
}

function scheduleProblems({ path, has, text }: Item): ConfigProblem[] {
  const [starts, stops] = [has('start'), has('stop')];
  const isRate = text('at')?.text.trim().startsWith('rate(') ?? false;
  const late = 'is for starts only: a late stop is better than none.';
  const noDate = 'is missing: a rate() fires as soon as it is deployed, so a start by rate() says from when.';
  return [
    ...problemsIf(starts && stops, path, 'has start and stop; write one schedule for each.'),
    ...problemsIf(!starts && !stops, path, 'needs start or stop, with the name of a run.'),
    ...['validFor', 'missed', 'startDelay', 'silentAfter'].flatMap((key) =>
      problemsIf(has(key) && stops && !starts, [...path, key], late),
    ),
    ...problemsIf(starts && isRate && !has('startDate'), [...path, 'startDate'], noDate),
    ...problemsIf(
      has('missedWithin') && !has('missed'),
      [...path, 'missedWithin'],
      "is how long a missed start is made up for: write missed: 'once' too.",
    ),
  ];
}

/** A time that is over, or years that are: nothing would ever be started or stopped, and nothing would say so. */
function pastTimes(schedule: Item, stageZone: PlacedText | undefined, now: Date): ConfigProblem[] {
  const time = schedule.text('at');
  const zone = (schedule.text('timezone') ?? stageZone)?.text;
  const read = time === undefined ? undefined : parseScheduleExpression(time.text);
  if (time === undefined || read?.ok !== true || read.value.kind === 'rate') return [];
  if (zone === undefined || !isTimeZone(zone) || nextFireTimes(read.value, zone, now, { count: 1 }).length > 0)
    return [];
  const gap = clockGap(read.value, zone);
  const message =
    gap === undefined
      ? `"${time.text}" is over (${zone}), so the schedule never fires; remove the schedule, or name a time ahead.`
      : `"${time.text}": that clock time does not exist in ${zone} on that day (the clocks go from ${gap}); name another time.`;
  return [problemAt(time.path, message)];
}

const whatToSend =
  "does not say what is sent: write send: 'file' (the file itself), or fileId or sidecar (JSON with the id of a file that the gateway has; send: 'reference' if only metadata gives it).";

function datasetProblems(rule: Item): ConfigProblem[] {
  const { path, has, text } = rule;
  const isFile = text('send')?.text === 'file';
  const isFileIdLocked =
    valuesAt(rule, 'locked')[0]?.value === true || textsAt(rule, 'locked.#').some((field) => field.text === 'fileId');
  const odd = (isOdd: boolean, key: string, message: string) => problemsIf(isOdd, [...path, key], message);
  return [
    ...problemsIf(!['send', 'fileId', 'sidecar'].some(has), path, whatToSend),
    ...odd(isFile && has('fileId'), 'fileId', "is the id of a file that the gateway has, and send: 'file' needs none."),
    ...conversionProblems(rule),
    ...odd(!isFile && has('maxBytes'), 'maxBytes', "is for send: 'file' only: no other rule sends the file."),
    ...odd(
      !isFile && isFileIdLocked && !has('fileId'),
      'locked',
      'locks fileId, and the rule gives none: every upload would be parked.',
    ),
    ...odd(
      has('sidecarWithin') && !has('sidecar'),
      'sidecarWithin',
      'is how long a sidecar is waited for, and none is required.',
    ),
  ];
}

const mappingKeys = ['promptColumn', 'labelColumn', 'labels', 'label', 'encoding', 'sheet'];

/** A conversion needs a file that is sent and a check that says what is wrong with it. */
function conversionProblems({ path, has, text }: Item): ConfigProblem[] {
  const problem = (key: string, says: string) => [problemAt([...path, key], says)];
  const key = mappingKeys.find(has);
  if (!has('convert')) return key === undefined ? [] : problem(key, 'needs convert: true beside it.');
  if (text('send')?.text !== 'file')
    return problem('convert', "is for send: 'file' only: no other rule sends the file.");
  if (text('check')?.text !== 'prompt-label-csv') return problem('convert', "needs check: 'prompt-label-csv'.");
  const isTwice = has('label') && (has('labelColumn') || has('labels'));
  return isTwice ? problem('label', 'is the label of all rows: leave labelColumn and labels out.') : [];
}

function unknownRuns(known: readonly string[], references: readonly PlacedText[]): ConfigProblem[] {
  const list = known.length === 0 ? 'no run is configured' : `known: ${known.join(', ')}`;
  return references.flatMap(({ path, text }) =>
    problemsIf(
      text.trim() !== '' && !known.includes(text),
      path,
      `"${text}" is not a configured run${didYouMean(text, known)} (${list})`,
    ),
  );
}

function named(nameOf: (text: string) => string) {
  return ({ path, text }: PlacedText): PlacedText => ({ path, text: nameOf(text) });
}

function takenName({ path, text }: PlacedText): ConfigProblem[] {
  const isOurs = ownScheduleNames.some((name) => name === text.toLowerCase());
  return problemsIf(isOurs, path, `"${text}" is a schedule that every stage has; choose another name.`);
}

function isFirst({ text }: PlacedText, index: number, places: readonly PlacedText[]): boolean {
  return places.findIndex((place) => place.text.toLowerCase() === text.toLowerCase()) === index;
}

function duplicates(places: readonly PlacedText[], rule: string): ConfigProblem[] {
  return repeated(places, ({ text }) => text.toLowerCase()).map(({ place: { path, text }, first }) =>
    problemAt(path, `"${text}" is at ${first} already; ${rule}.`),
  );
}

/** Every place whose key stood before, with the path of the first that had it. */
function repeated(
  places: readonly PlacedText[],
  keyOf: (place: PlacedText) => string,
): { readonly place: PlacedText; readonly first: string }[] {
  const firsts = new Map<string, PlacedText>();
  return places.flatMap((place) => {
    const first = firsts.get(keyOf(place));
    if (first !== undefined) return [{ place, first: formatPath(first.path) }];
    firsts.set(keyOf(place), place);
    return [];
  });
}

/** A project's own name may hold what a schedule's cannot. */
function unnamedProject({ path, has, text }: Item): ConfigProblem[] {
  const project = text('project')?.text;
  if (project === undefined || has('name') || watchNamePattern.test(project)) return [];
  return [problemAt(path, `needs a name: "${project}" cannot name its schedule, which is ${watchNameRule}.`)];
}

/** The field of a package rule is one that changed: a package that came or went has none. */
function neverMatching({ text }: Item): ConfigProblem[] {
  const [field, kind] = [text('field'), text('kind')];
  if (field === undefined || (kind?.text !== 'added' && kind?.text !== 'removed')) return [];
  const message = `is "${kind.text}", and field is one that changed: no package is both, so this starts nothing; leave one of them out.`;
  return [problemAt(kind.path, message)];
}
