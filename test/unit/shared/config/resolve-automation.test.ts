import { describe, expect, test } from 'vitest';
import { type AutomationResult, resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { changed, ids, validDocument } from './document.ts';
import { wrongThings } from './wrong-things.ts';

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

    expect(result.ok && result.automation.runs['smoke']).toMatchObject({ guards: { longestRun: 'PT10H' } });
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

  test('writes the instant since when uploads are looked for in UTC', () => {
    const result = resolve(changed('datasets[0].since', '2026-11-20T22:00:00+01:00'));

    const since = result.ok && result.automation.datasetRules.map((rule) => rule.since);
    expect(since).toEqual([undefined, '2026-11-20T21:00:00.000Z']);
  });

  test('warns of a startDate that is over, since AWS refuses it', () => {
    const result = resolve(changed('schedules[0].startDate', '2026-11-01T00:00:00Z'));

    expect(result.ok && result.warnings.map(({ path }) => path)).toEqual(['schedules[0].startDate']);
  });

  // `at(2020-…)` used to pass, and nothing said that it never fires.
  test.each([
    ['at(2026-11-20T12:30:00)', 'Europe/Dublin', []],
    ['at(2026-11-20T12:30:00)', 'Asia/Tokyo', ['schedules[0].at']],
    ['at(2026-11-20T11:59:00)', 'UTC', ['schedules[0].at']],
  ])('judges the single time %s by the clock of %s', (at, timezone, refused) => {
    const result = resolve(changed('schedules', [{ name: 'once', start: 'nightly', at, timezone }]));

    expect(result.ok ? [] : result.problems.map(({ path }) => path)).toEqual(refused);
  });

  test('takes the statuses that a vendor vouches for, and warns of those that have a rule of their own', () => {
    const result = resolve(changed('gateway.postMayRepeatOn', [502, 422, 504, 409, 401, 503]));

    expect(result.ok && result.automation.gateway.postMayRepeatOn).toEqual([502, 422, 504, 409, 401, 503]);
    expect(result.ok && result.warnings.map(({ path }) => path)).toEqual([
      'gateway.postMayRepeatOn[1]',
      'gateway.postMayRepeatOn[3]',
      'gateway.postMayRepeatOn[4]',
    ]);
  });

  test('lets a rule name a field, or packages that came: each matches something', () => {
    const rules = [
      { match: { field: 'scannerIds', kind: 'changed' }, start: 'smoke' },
      { match: { kind: 'added' }, start: 'smoke' },
    ];

    expect(problemsOf(resolve(changed('scannerPackages[0].onChange', rules)))).toEqual([]);
  });

  test('warns of a deployed stage whose alarms have no receiver, and names an address once', () => {
    const warned = (result: ReturnType<typeof resolve>) => result.ok && result.warnings.map(({ path }) => path);
    const twice = resolve(changed('notify.emails', ['soc@example.com', 'b@example.com', 'soc@example.com']));

    expect(warned(resolve(changed('notify', undefined)))).toEqual(['notify.emails']);
    expect(warned(resolve(changed('notify.emails', [])))).toEqual(['notify.emails']);
    expect(twice.ok && twice.automation.notify.emails).toEqual(['soc@example.com', 'b@example.com']);
    expect(
      warned(resolveAutomation('local', changed('notify', undefined), { isLocalStage: true, now: new Date() })),
    ).toEqual([]);
  });

  describe('of two campaigns that share a target', () => {
    const runs = { other: { campaignRunIds: ['019ba000-0000-7000-8000-00000000d001'], stopAfter: '1 hour' } };
    const warned = (overlap: string | undefined, others: string | undefined, target: string | undefined = 'bot') => {
      const [chat, other] = [
        changed('target', target, validDocument().campaigns['chat']),
        { target: 'bot', campaignId: '019ba000-0000-7000-8000-00000000d002', runs },
      ];
      const campaigns = { chat: changed('overlap', overlap, chat), other: changed('overlap', others, other) };
      const result = resolve(changed('campaigns', campaigns));
      const told = result.ok ? result.warnings.map(({ path, message }) => `${path}: ${message}`) : problemsOf(result);
      return told.filter((line) => line.startsWith('campaigns'));
    };

    test.each([
      ['skip', undefined],
      ['skip', 'stop-previous'],
      ['allow', 'allow'],
    ])('%s and %s can both hold', (overlap, others) => {
      expect(warned(overlap, others)).toEqual([]);
      expect(warned(others, overlap)).toEqual([]);
    });

    test.each([[undefined], ['skip'], ['stop-previous']])(
      'warns of one that allows what the other does not (%s)',
      (others) => {
        const message = /^campaigns\.other\.overlap: is "allow", so its starts go out beside the runs of chat, .*"bot"/;

        expect(warned(others, 'allow')).toEqual([expect.stringMatching(message)]);
        expect(warned(others, 'allow', 'elsewhere')).toEqual([]);
      },
    );
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

function ruleOf(rule: object) {
  const result = resolve(changed('datasets', [{ prefix: 'datasets/', ...rule }]));
  if (!result.ok) throw new Error(problemsOf(result).join());
  return { file: result.automation.datasetRules[0]?.file, warnings: result.warnings.map(({ path }) => path) };
}

describe('what a dataset rule sends', () => {
  test.each([
    [{ send: 'file' }, { maxBytes: 10_000_000 }],
    [{ send: 'file', maxBytes: 15_000_000, sidecar: 'required' }, { maxBytes: 15_000_000 }],
    [{ sidecar: 'required' }, undefined],
    [{ send: 'reference' }, undefined],
    [{ fileId: '019ba000-0000-7000-8000-00000000d001' }, undefined],
  ])('of %j is the file up to a size, or a reference', (written, file) => {
    expect(ruleOf(written)).toEqual({ file, warnings: [] });
  });

  // The gateway refused every upload of such a rule, and synth said nothing.
  test.each(['{stem}', '{key}-{etag}', 'file-1'])('is warned of if it is the fileId %s, which is no uuid', (fileId) => {
    expect(ruleOf({ fileId }).warnings).toEqual(['datasets[0].fileId']);
  });
});

const saying = (says: string | RegExp) =>
  typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says);

describe('a document with one wrong thing', () => {
  test.for(wrongThings)('is named: %s with %j', ([path, value, says, named = '']) => {
    const result = resolve(changed(path, value));

    const at = /^[.[]|^$/.test(named) ? `${path}${named}` : named;
    expect(result.ok ? [] : result.problems).toContainEqual({ path: at, message: saying(says) });
  });

  test.each(['pr_d', '', '-x', 'x-', 'a'.repeat(17), 'a b', 'Prod', 'PROD'])('refuses the stage name "%s"', (stage) => {
    expect(problemsOf(resolve(validDocument(), stage))).toEqual([expect.stringMatching(/cannot name a stage/)]);
  });

  test.each([undefined, null, 42, 'x', []])('says what is wanted instead of %j', (document) => {
    expect(problemsOf(resolve(document))).toEqual([
      expect.stringMatching(/^: is .*an object with "gateway", "timezone" and "campaigns" is wanted/),
    ]);
  });
});

describe('a document with many wrong things', () => {
  test('reports all of them in one go, cross references too if the structure is broken elsewhere', () => {
    const document = {
      gateway: { baseUrl: 'http://127.0.0.1', status: { start: 'on', stop: 'on' }, requestsPerSecond: { runs: -1 } },
      timezon: 'UTC',
      campaigns: {
        a: { runs: { nightly: { campaignRunIds: ['x', ids.smoke] }, Smoke: { stopAfter: 'soon' } } },
        b: { longestRun: '1 hour', runs: { smoke: { campaignRunIds: [ids.smoke], name: '{time}' } } },
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
      'campaigns.a.runs.Smoke.stopAfter',
      'campaigns.a.runs.nightly',
      'campaigns.a.runs.nightly.campaignRunIds[0]',
      'campaigns.b.runs.smoke',
      'campaigns.b.runs.smoke.campaignRunIds[0]',
      'campaigns.b.runs.smoke.name',
      'datasets[0]',
      'datasets[1].fileId',
      'datasets[1].prefix',
      'datasets[1].thenStart',
      'datasets[2]',
      'datasets[2].prefix',
      'gateway.baseUrl',
      'gateway.requestsPerSecond.runs',
      'gateway.status.start',
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
