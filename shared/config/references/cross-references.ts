import {
  type ConfigProblem,
  defaultStopWord,
  formatPath,
  ownScheduleNames,
  packageWatchScheduleName,
  projectWatchScheduleName,
  watchNamePattern,
  watchNameRule,
} from '../names.ts';
import { clockGap } from '../../schedule/clock-changes.ts';
import { nextFireTimes, parseScheduleExpression } from '../../schedule/schedule-expression.ts';
import { isTimeZone } from '../../schedule/time-zone.ts';
import { didYouMean } from '../../text/did-you-mean.ts';
import { guardProblems } from './guard-references.ts';
import { type ItemOutline, type Outline, type PlacedText, readOutline, type RunOutline } from '../schema/outline.ts';

/**
 * Every problem that takes two places of the document, or the time, to see; total for any document.
 */
export function crossReferenceProblems(document: unknown, now: Date): ConfigProblem[] {
  const outline = readOutline(document);
  return [
    ...statusProblems(outline.status),
    ...duplicates(outline.runs.map(asPlace), 'run names are unique over all campaigns, in any case'),
    ...duplicates(
      outline.runs.flatMap(({ ids }) => ids),
      'a campaign run is bound once',
    ),
    ...outline.runs.flatMap(runProblems),
    ...guardProblems(outline),
    ...outline.schedules.flatMap(scheduleProblems),
    ...outline.schedules.flatMap(missedProblems),
    ...outline.schedules.flatMap((schedule) => pastTimes(schedule, outline, now)),
    ...duplicates(scheduleNames(outline), 'schedules and watches share one group of names, in any case'),
    ...textsOf(outline.schedules, 'name').filter(isOurs).map(takenName),
    ...duplicates(textsOf(outline.packageWatches, 'name'), 'names of watches are unique, in any case'),
    ...watchProblems(outline),
    ...duplicates(projectNames(outline), 'names of watches are unique, in any case'),
    ...duplicates(textsOf(outline.webhooks, 'name'), 'names of webhooks are unique, in any case'),
    ...equalPrefixes(textsOf(outline.datasets, 'prefix')),
    ...outline.datasets.flatMap(datasetProblems),
    ...unknownRuns(outline),
  ];
}

function statusProblems(status: ItemOutline): ConfigProblem[] {
  const [start, stop] = [status.text('start'), status.text('stop')];
  if (start === undefined || start.text === '' || start.text !== (stop?.text ?? defaultStopWord)) return [];
  return [at(start.path, `is "${start.text}", the word that stops a run; the gateway's own words differ.`)];
}

function runProblems(run: RunOutline): ConfigProblem[] {
  if (run.keys.has('stopAfter') || run.campaignHasLongestRun) return [];
  const longestRun = formatPath(['campaigns', run.campaign, 'longestRun']);
  return [at(run.path, `needs stopAfter (such as "8 hours"), or ${longestRun}: nothing else says when the run ends.`)];
}

function scheduleProblems(schedule: ItemOutline): ConfigProblem[] {
  const { keys, path } = schedule;
  const problems: ConfigProblem[] = [];
  if (keys.has('start') && keys.has('stop')) {
    problems.push(at(path, 'has start and stop; write one schedule for each.'));
  }
  if (!keys.has('start') && !keys.has('stop')) {
    problems.push(at(path, 'needs start or stop, with the name of a run.'));
  }
  for (const key of ['validFor', 'missed', 'startDelay', 'silentAfter'].filter(
    (name) => keys.has(name) && keys.has('stop') && !keys.has('start'),
  )) {
    problems.push(at([...path, key], 'is for starts only: a late stop is better than none.'));
  }
  const isRate = schedule.text('at')?.text.trim().startsWith('rate(') ?? false;
  if (keys.has('start') && isRate && !keys.has('startDate')) {
    problems.push(
      at(
        [...path, 'startDate'],
        'is missing: a rate() fires as soon as it is deployed, so a start by rate() says from when.',
      ),
    );
  }
  return problems;
}

function missedProblems({ keys, path }: ItemOutline): ConfigProblem[] {
  if (!keys.has('missedWithin') || keys.has('missed')) return [];
  return [at([...path, 'missedWithin'], "is how long a missed start is made up for: write missed: 'once' too.")];
}

/** A time that is over, or years that are: nothing would ever be started or stopped, and nothing would say so. */
function pastTimes(schedule: ItemOutline, { root }: Outline, now: Date): ConfigProblem[] {
  const time = schedule.text('at');
  const zone = (schedule.text('timezone') ?? root.text('timezone'))?.text;
  const read = time === undefined ? undefined : parseScheduleExpression(time.text);
  if (time === undefined || read?.ok !== true || read.value.kind === 'rate') return [];
  if (zone === undefined || !isTimeZone(zone) || nextFireTimes(read.value, zone, now, { count: 1 }).length > 0)
    return [];
  const gap = clockGap(read.value, zone);
  if (gap !== undefined) {
    const what = `"${time.text}": that clock time does not exist in ${zone} on that day`;
    return [at(time.path, `${what} (the clocks go from ${gap}); name another time.`)];
  }
  const what = `"${time.text}" is over (${zone}), so the schedule never fires`;
  return [at(time.path, `${what}; remove the schedule, or name a time ahead.`)];
}

const whatToSend =
  "does not say what is sent: write send: 'file' (the file itself), or fileId or sidecar (JSON with the id of a file that the gateway has; send: 'reference' if only metadata gives it).";

function datasetProblems(rule: Outline['datasets'][number]): ConfigProblem[] {
  const { path, keys, text, isFileIdLocked } = rule;
  const problems: ConfigProblem[] = [];
  const isFile = text('send')?.text === 'file';
  if (!['send', 'fileId', 'sidecar'].some((key) => keys.has(key))) problems.push(at(path, whatToSend));
  if (isFile && keys.has('fileId')) {
    problems.push(at([...path, 'fileId'], "is the id of a file that the gateway has, and send: 'file' needs none."));
  }
  problems.push(...conversionProblems(rule));
  if (!isFile && keys.has('maxBytes')) {
    problems.push(at([...path, 'maxBytes'], "is for send: 'file' only: no other rule sends the file."));
  }
  if (!isFile && isFileIdLocked && !keys.has('fileId')) {
    problems.push(at([...path, 'locked'], 'locks fileId, and the rule gives none: every upload would be parked.'));
  }
  if (keys.has('sidecarWithin') && !keys.has('sidecar')) {
    problems.push(at([...path, 'sidecarWithin'], 'is how long a sidecar is waited for, and none is required.'));
  }
  return problems;
}

function projectNames({ projectWatches }: Outline): PlacedText[] {
  return projectWatches
    .map((watch) => watch.text('name') ?? watch.text('project'))
    .filter((place) => place !== undefined);
}

function unknownRuns({ runs, schedules, packageWatches, projectWatches, datasets }: Outline): ConfigProblem[] {
  const known = runs.map(({ name }) => name);
  const references = [
    ...textsOf(schedules, 'start'),
    ...textsOf(schedules, 'stop'),
    ...[...packageWatches, ...projectWatches].flatMap(({ starts }) => starts),
    ...textsOf(datasets, 'thenStart'),
  ];
  return references
    .filter(({ text }) => text.trim() !== '' && !known.includes(text))
    .map(({ path, text }) => {
      const list = known.length === 0 ? 'no run is configured' : `known: ${known.join(', ')}`;
      return at(path, `"${text}" is not a configured run${didYouMean(text, known)} (${list})`);
    });
}

/**
 * Names as the stage's schedule group will hold them; a watch's own rule reports a repeated watch.
 */
function scheduleNames(outline: Outline): PlacedText[] {
  const watches = textsOf(outline.packageWatches, 'name').filter(isFirst).map(named(packageWatchScheduleName));
  const projects = projectNames(outline).filter(isFirst).map(named(projectWatchScheduleName));
  return [...watches, ...projects, ...textsOf(outline.schedules, 'name')];
}

function named(nameOf: (text: string) => string) {
  return ({ path, text }: PlacedText): PlacedText => ({ path, text: nameOf(text) });
}

function isOurs({ text }: PlacedText): boolean {
  return ownScheduleNames.some((name) => name === text.toLowerCase());
}

function takenName({ path, text }: PlacedText): ConfigProblem {
  return at(path, `"${text}" is a schedule that every stage has; choose another name.`);
}

function isFirst({ text }: PlacedText, index: number, places: readonly PlacedText[]): boolean {
  return places.findIndex((place) => place.text.toLowerCase() === text.toLowerCase()) === index;
}

function equalPrefixes(places: readonly PlacedText[]): ConfigProblem[] {
  return repeated(places, ({ text }) => text).map(({ place, first }) =>
    at(
      place.path,
      `"${place.text}" is the prefix of ${formatPath(first.path)} too; nested prefixes are fine, equal ones are not.`,
    ),
  );
}

function duplicates(places: readonly PlacedText[], rule: string): ConfigProblem[] {
  return repeated(places, ({ text }) => text.toLowerCase()).map(({ place, first }) =>
    at(place.path, `"${place.text}" is at ${formatPath(first.path)} already; ${rule}.`),
  );
}

/** Every place whose key stood before, with the first that had it. */
function repeated(
  places: readonly PlacedText[],
  keyOf: (place: PlacedText) => string,
): { place: PlacedText; first: PlacedText }[] {
  const firsts = new Map<string, PlacedText>();
  return places.flatMap((place) => {
    const first = firsts.get(keyOf(place));
    if (first !== undefined) return [{ place, first }];
    firsts.set(keyOf(place), place);
    return [];
  });
}

function textsOf(items: readonly ItemOutline[], key: string): PlacedText[] {
  return items.map((item) => item.text(key)).filter((place) => place !== undefined);
}

function asPlace({ path, name }: RunOutline): PlacedText {
  return { path, text: name };
}

function at(path: readonly PropertyKey[], message: string): ConfigProblem {
  return { path: formatPath(path), message };
}

/** What two keys say together about a watch: projects that cannot name their schedule, rules that no change can ever match. */
function watchProblems({ packageWatches, projectWatches }: Outline): ConfigProblem[] {
  return [
    ...projectWatches.flatMap(unnamedProject),
    ...packageWatches.flatMap(({ matches }) => matches).flatMap(neverMatching),
  ];
}

/** A project's own name may hold what a schedule's cannot. */
function unnamedProject(watch: ItemOutline): ConfigProblem[] {
  const project = watch.text('project');
  if (project === undefined || watch.keys.has('name') || watchNamePattern.test(project.text)) return [];
  const message = `needs a name: "${project.text}" cannot name its schedule, which is ${watchNameRule}.`;
  return [{ path: formatPath(watch.path), message }];
}

/** The field of a package rule is one that changed: a package that came or went has none. */
function neverMatching(match: ItemOutline): ConfigProblem[] {
  const [field, kind] = [match.text('field'), match.text('kind')];
  if (field === undefined || (kind?.text !== 'added' && kind?.text !== 'removed')) return [];
  const message = `is "${kind.text}", and field is one that changed: no package is both, so this starts nothing; leave one of them out.`;
  return [{ path: formatPath(kind.path), message }];
}

const mappingKeys = ['promptColumn', 'labelColumn', 'labels', 'label', 'encoding'];

/** A conversion needs a file that is sent and a check that says what is wrong with it. */
function conversionProblems({ path, keys, text }: Outline['datasets'][number]): ConfigProblem[] {
  const problem = (key: string, says: string) => [at([...path, key], says)];
  const key = mappingKeys.find((name) => keys.has(name));
  if (!keys.has('convert')) return key === undefined ? [] : problem(key, 'needs convert: true beside it.');
  if (text('send')?.text !== 'file')
    return problem('convert', "is for send: 'file' only: no other rule sends the file.");
  if (text('check')?.text !== 'prompt-label-csv') return problem('convert', "needs check: 'prompt-label-csv'.");
  const isTwice = keys.has('label') && (keys.has('labelColumn') || keys.has('labels'));
  return isTwice ? problem('label', 'is the label of all rows: leave labelColumn and labels out.') : [];
}
