import { describe, expect, test } from 'vitest';
import { type AutomationResult, resolveAutomation } from '../../../../shared/config/resolve-automation.ts';
import { changed, ids, validDocument } from './document.ts';

function resolve(document: unknown, stage = 'prod', isLocalStage = false): AutomationResult {
  return resolveAutomation(stage, document, { isLocalStage, now: new Date('2026-11-20T12:00:00Z') });
}

function problemsOf(result: AutomationResult): string[] {
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('a document without a fault', () => {
  test('resolves to the one document that ships, with defaults and ISO durations', () => {
    const result = resolve(validDocument());

    expect(result).toMatchSnapshot();
  });

  test('lets a local stage talk to loopback over plain http', () => {
    const document = changed('gateway.baseUrl', 'http://127.0.0.1:4010/');

    const result = resolve(document, 'local', true);

    expect(result.ok && result.automation.gateway.baseUrl).toBe('http://127.0.0.1:4010');
  });

  test('keeps the longest prefix first, whatever order they were written in', () => {
    const result = resolve(validDocument());

    expect(result.ok && result.automation.datasetRules.map(({ prefix }) => prefix)).toEqual([
      'datasets/pii/',
      'datasets/',
    ]);
  });

  test('takes longestRun for a run without stopAfter', () => {
    const document = changed(
      'campaigns.chat.longestRun',
      '10 hours',
      changed('campaigns.chat.runs.smoke.stopAfter', undefined),
    );

    const result = resolve(document);

    expect(result.ok && result.automation.runs['smoke']).toMatchObject({ inFlightFor: 'PT10H' });
    expect(result.ok && result.automation.runs['smoke']).not.toHaveProperty('stopAfter');
  });

  test.each([
    ['1 minute', 'rate(1 minute)'],
    ['90 minutes', 'rate(90 minutes)'],
    ['2 hours', 'rate(2 hours)'],
    ['P1D', 'rate(1 day)'],
  ])('polls every %s by %s', (every, expression) => {
    const result = resolve(changed('scannerPackages[0].every', every));

    expect(result.ok && result.automation.packageWatches[0]?.expression).toBe(expression);
  });

  test('warns of a startDate that is over, since AWS refuses it', () => {
    const result = resolve(changed('schedules[0].startDate', '2026-11-01T00:00:00Z'));

    expect(result.ok && result.warnings.map(({ path }) => path)).toEqual(['schedules[0].startDate']);
  });

  test('warns of a prefix without a slash and of a list without ids', () => {
    const document = changed(
      'datasets[1].prefix',
      'datasets/pii',
      changed('campaigns.chat.runs.nightly.campaignRunIds', []),
    );

    const result = resolve(document);

    expect(result.ok && result.warnings.map(({ path }) => path)).toEqual([
      'campaigns.chat.runs.nightly.campaignRunIds',
      'datasets[1].prefix',
    ]);
  });
});

/** One wrong thing: what it is, where it is put, its value, and the problem that must come of it. */
const wrongThings: readonly (readonly [what: string, path: string, value: unknown, problem: RegExp])[] = [
  ['a misspelt key', 'timezon', 'UTC', /^timezon: is not a key here; did you mean "timezone"\?/],
  [
    'a misspelt nested key',
    'schedules[0].validfor',
    '1 hour',
    /^schedules\[0\]\.validfor: .*did you mean "validFor"\?/,
  ],
  ['a missing section', 'campaigns', undefined, /^campaigns: is missing: an object is wanted/],
  ['a wrong type', 'schedules[0].enabled', 'yes', /^schedules\[0\]\.enabled: is "yes" where true or false is wanted/],
  [
    'a wrong choice',
    'campaigns.chat.overlap',
    'skp',
    /^campaigns\.chat\.overlap: .*"skip", "allow".*did you mean "skip"/,
  ],
  ['no status words', 'gateway.status', undefined, /^gateway\.status: is missing/],
  ['an empty status word', 'gateway.status.stop', ' ', /^gateway\.status\.stop: is empty/],
  [
    'one word for both states',
    'gateway.status.stop',
    'running',
    /^gateway\.status\.stop: .*the word that starts a run/,
  ],
  ['plain http', 'gateway.baseUrl', 'http://gateway.example.com', /^gateway\.baseUrl: must begin with https:\/\//],
  ['loopback when deployed', 'gateway.baseUrl', 'https://127.0.0.1', /^gateway\.baseUrl: is this very machine/],
  ['localhost when deployed', 'gateway.baseUrl', 'http://localhost:4010', /^gateway\.baseUrl: is this very machine/],
  [
    'a password in the address',
    'gateway.baseUrl',
    'https://u:s3cret@gateway.example.com',
    /^gateway\.baseUrl: (?!.*s3cret).*user or a password/,
  ],
  [
    'an address with the interface path',
    'gateway.baseUrl',
    'https://g.example.com/backend/v1/',
    /^gateway\.baseUrl: .*before \/backend\/v1/,
  ],
  ['an address with a query', 'gateway.baseUrl', 'https://g.example.com/?a=1', /^gateway\.baseUrl: .*query/],
  [
    'a rate at which nothing gets its turn',
    'gateway.requestsPerSecond',
    { runs: 0.05 },
    /^gateway\.requestsPerSecond\.runs: is 0\.05; at least 0\.4/,
  ],
  [
    'a rate of another type',
    'gateway.requestsPerSecond',
    { runs: '4' },
    /^gateway\.requestsPerSecond\.runs: is "4" where a number/,
  ],
  ['an unknown zone', 'timezone', 'Irish', /^timezone: "Irish" is not a time zone/],
  [
    'an unknown zone of a schedule',
    'schedules[0].timezone',
    'Europe/Dubln',
    /^schedules\[0\]\.timezone: "Europe\/Dubln" is not a time zone/,
  ],
  ['a bad cron expression', 'schedules[0].at', 'cron(0 22 * * *)', /^schedules\[0\]\.at: .*six fields/],
  [
    'no schedule expression',
    'schedules[0].at',
    '22:00',
    /^schedules\[0\]\.at: .*write cron\(…\), rate\(…\) or at\(…\)/,
  ],
  [
    'a bad duration',
    'campaigns.chat.runs.nightly.stopAfter',
    '8 hrs',
    /^campaigns\.chat\.runs\.nightly\.stopAfter: "8 hrs" is not a duration/,
  ],
  [
    'a campaign id that is no uuid',
    'campaigns.chat.campaignId',
    '42',
    /^campaigns\.chat\.campaignId: "42" is not a uuid/,
  ],
  [
    'a run id that is no uuid',
    'campaigns.chat.runs.nightly.campaignRunIds[1]',
    'x',
    /^campaigns\.chat\.runs\.nightly\.campaignRunIds\[1\]: "x" is not a uuid/,
  ],
  [
    'a run that cannot be named so',
    'campaigns.chat.runs',
    { 'a b': { campaignRunId: ids.smoke, stopAfter: '1 hour' } },
    /^campaigns\.chat\.runs: "a b" cannot name a run/,
  ],
  [
    'neither list nor single id',
    'campaigns.chat.runs.smoke.campaignRunId',
    undefined,
    /^campaigns\.chat\.runs\.smoke: needs campaignRunIds .* or campaignRunId/,
  ],
  [
    'list and single id',
    'campaigns.chat.runs.smoke.campaignRunIds',
    [],
    /^campaigns\.chat\.runs\.smoke: has campaignRunIds and campaignRunId/,
  ],
  [
    'no end of a run',
    'campaigns.chat.runs.smoke.stopAfter',
    undefined,
    /^campaigns\.chat\.runs\.smoke: needs stopAfter .*campaigns\.chat\.longestRun/,
  ],
  [
    'a run id bound twice',
    'campaigns.chat.runs.smoke.campaignRunId',
    ids.first.toUpperCase(),
    /^campaigns\.chat\.runs\.smoke\.campaignRunId: .*campaignRunIds\[0\] already; a campaign run is bound once/,
  ],
  [
    'a run id twice in its list',
    'campaigns.chat.runs.nightly.campaignRunIds',
    [ids.first, ids.first],
    /campaignRunIds\[1\]: .*bound once/,
  ],
  [
    'a run name of another campaign',
    'campaigns.support',
    { runs: { Nightly: { campaignRunId: ids.campaign, stopAfter: '1 hour' } } },
    /^campaigns\.support\.runs\.Nightly: .*unique over all campaigns/,
  ],
  [
    'a placeholder that a run name has not',
    'campaigns.chat.runs.nightly.name',
    'nightly {day}',
    /^campaigns\.chat\.runs\.nightly\.name: .*\{day\}, which nothing fills; known here: \{date\}/,
  ],
  [
    'an unknown run to start',
    'schedules[0].start',
    'nigthly',
    /^schedules\[0\]\.start: "nigthly" is not a configured run; did you mean "nightly"\? \(known: nightly, smoke\)/,
  ],
  [
    'an unknown run to stop',
    'schedules[1].stop',
    'weekly',
    /^schedules\[1\]\.stop: "weekly" is not a configured run \(known: nightly, smoke\)/,
  ],
  [
    'an unknown run of a change',
    'scannerPackages[0].onChange[0].start',
    'smok',
    /^scannerPackages\[0\]\.onChange\[0\]\.start: "smok" is not a configured run; did you mean "smoke"/,
  ],
  [
    'an unknown run after an upload',
    'datasets[1].thenStart',
    'x',
    /^datasets\[1\]\.thenStart: "x" is not a configured run/,
  ],
  ['start and stop in one schedule', 'schedules[0].stop', 'nightly', /^schedules\[0\]: has start and stop/],
  ['neither start nor stop', 'schedules[0].start', undefined, /^schedules\[0\]: needs start or stop/],
  ['validFor on a stop', 'schedules[1].validFor', '1 hour', /^schedules\[1\]\.validFor: is for starts only/],
  ['startDelay on a stop', 'schedules[1].startDelay', '1 hour', /^schedules\[1\]\.startDelay: is for starts only/],
  [
    'a start by rate without a startDate',
    'schedules[0].at',
    'rate(1 day)',
    /^schedules\[0\]\.startDate: is missing: a rate\(\) fires as soon as it is deployed/,
  ],
  [
    'a startDate without its offset',
    'schedules[0].startDate',
    '2026-11-20T22:00:00',
    /^schedules\[0\]\.startDate: .*not an instant with its offset/,
  ],
  [
    'a schedule name that Scheduler refuses',
    'schedules[0].name',
    'week nights',
    /^schedules\[0\]\.name: "week nights" cannot be a name/,
  ],
  ['a schedule name that is too long', 'schedules[0].name', 'x'.repeat(65), /^schedules\[0\]\.name: .*1 to 64/],
  [
    'a schedule name twice',
    'schedules[1].name',
    'Weeknights',
    /^schedules\[1\]\.name: "Weeknights" is at schedules\[0\]\.name already/,
  ],
  [
    'a schedule with the name of a watch',
    'schedules[1].name',
    'scanner-packages.vendor',
    /^schedules\[1\]\.name: .*share one group of names/,
  ],
  [
    'a schedule with the name of one that every stage has',
    'schedules[1].name',
    'Watch-campaigns',
    /^schedules\[1\]\.name: "Watch-campaigns" is a schedule that every stage has; choose another name/,
  ],
  [
    'a watch name twice',
    'scannerPackages[1]',
    { name: 'VENDOR', every: '1 hour' },
    /^scannerPackages\[1\]\.name: "VENDOR" is at scannerPackages\[0\]\.name already/,
  ],
  [
    'a period of part of a minute',
    'scannerPackages[0].every',
    '90 seconds',
    /^scannerPackages\[0\]\.every: .*whole number of minutes/,
  ],
  [
    'a filter that does not exist',
    'scannerPackages[0].filters',
    { sorce: 'vendor' },
    /^scannerPackages\[0\]\.filters: "sorce" is no filter.*did you mean "source"/,
  ],
  [
    'a filter that belongs to the walk',
    'scannerPackages[0].filters',
    { limit: 10 },
    /^scannerPackages\[0\]\.filters: limit belongs to the walk/,
  ],
  [
    'a filter of a wrong type',
    'scannerPackages[0].filters',
    { source: { type: 'x' } },
    /^scannerPackages\[0\]\.filters\.source: is an object where a text, a number/,
  ],
  [
    'a kind of change that does not exist',
    'scannerPackages[0].onChange[0].match.kind',
    'gone',
    /^scannerPackages\[0\]\.onChange\[0\]\.match\.kind: .*"added", "changed", "removed"/,
  ],
  [
    'a prefix elsewhere',
    'datasets[0].prefix',
    'uploads/',
    /^datasets\[0\]\.prefix: "uploads\/" is not below datasets\//,
  ],
  ['equal prefixes', 'datasets[1].prefix', 'datasets/', /^datasets\[1\]\.prefix: .*datasets\[0\]\.prefix too/],
  [
    'a placeholder that nothing fills',
    'datasets[0].fileId',
    '{stem}-{date}',
    /^datasets\[0\]\.fileId: .*\{date\}, which nothing fills; known here: \{bucket\} \{key\} \{stem\} \{versionId\} \{etag\}/,
  ],
  ['a lonely brace', 'datasets[0].name', '{stem', /^datasets\[0\]\.name: .*a brace that belongs to no placeholder/],
];

describe('a document with one wrong thing', () => {
  test.each(wrongThings)('names %s', (_what, path, value, problem) => {
    const problems = problemsOf(resolve(changed(path, value)));

    expect(problems).toContainEqual(expect.stringMatching(problem));
  });

  test.each(['pr_d', '', '-x', 'x-', 'a'.repeat(17), 'a b'])('refuses the stage name "%s"', (stage) => {
    expect(problemsOf(resolve(validDocument(), stage))).toEqual([expect.stringMatching(/cannot name a stage/)]);
  });

  test.each([undefined, null, 42, 'x', []])('says what is wanted instead of %j', (document) => {
    expect(problemsOf(resolve(document))).toEqual([expect.stringMatching(/^: is .*an object is wanted/)]);
  });
});

describe('a document with many wrong things', () => {
  test('reports all of them in one go, cross references too where the structure is broken elsewhere', () => {
    const document = {
      gateway: { baseUrl: 'http://127.0.0.1', status: { start: 'on', stop: 'on' }, requestsPerSecond: { runs: -1 } },
      timezon: 'UTC',
      campaigns: {
        a: { runs: { nightly: { campaignRunIds: ['x'], campaignRunId: ids.smoke }, Smoke: { stopAfter: 'soon' } } },
        b: { longestRun: '1 hour', runs: { smoke: { campaignRunId: ids.smoke, name: '{time}' } } },
      },
      schedules: [
        { name: 'one', start: 'weekly', at: 'rate(1 day)' },
        { name: 'one', stop: 'nightly', at: 'cron(61 * * * ? *)', validFor: '1 hour', startDelay: '1 hour' },
        { name: 'both', start: 'nightly', stop: 'nightly', at: 'cron(0 6 * * ? *)' },
        { name: 'n/one', at: 'at(2026-02-30T00:00:00)' },
      ],
      scannerPackages: [
        { name: 'w', every: '1 second', filters: { cursor: 'x' }, onChange: [{ match: {}, start: 'gone' }] },
      ],
      datasets: [
        { prefix: 'datasets/x/' },
        { prefix: 'datasets/x/', fileId: '{id}', thenStart: 'gone' },
        { prefix: 'y' },
      ],
    };

    const result = resolve(document, 'my stage');

    expect(result.ok ? [] : result.problems.map(({ path }) => path).toSorted()).toEqual([
      '',
      'campaigns.a.runs.Smoke',
      'campaigns.a.runs.Smoke.stopAfter',
      'campaigns.a.runs.nightly',
      'campaigns.a.runs.nightly',
      'campaigns.a.runs.nightly.campaignRunIds[0]',
      'campaigns.b.runs.smoke',
      'campaigns.b.runs.smoke.campaignRunId',
      'campaigns.b.runs.smoke.name',
      'datasets[1].fileId',
      'datasets[1].prefix',
      'datasets[1].thenStart',
      'datasets[2].prefix',
      'gateway.baseUrl',
      'gateway.requestsPerSecond.runs',
      'gateway.status.stop',
      'scannerPackages[0].every',
      'scannerPackages[0].filters',
      'scannerPackages[0].onChange[0].start',
      'schedules[0].start',
      'schedules[0].startDate',
      'schedules[1].at',
      'schedules[1].name',
      'schedules[1].startDelay',
      'schedules[1].validFor',
      'schedules[2]',
      'schedules[3]',
      'schedules[3].at',
      'schedules[3].name',
      'timezon',
      'timezone',
    ]);
  });

  test('sorts them by section, as the file is read', () => {
    const document = changed('datasets[0].prefix', 'x', changed('timezone', 'x', changed('schedules[0].at', 'x')));

    expect(problemsOf(resolve(document)).map((text) => text.split(':')[0])).toEqual([
      'timezone',
      'schedules[0].at',
      'datasets[0].prefix',
    ]);
  });
});
