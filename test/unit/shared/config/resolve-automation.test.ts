import { describe, expect, test } from 'vitest';
import { type AutomationResult, resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { changed, ids, resolved, validDocument } from './document.ts';
import { wrongThings } from './wrong-things.ts';

function resolve(document: unknown, stage = 'prod', isLocalStage = false): AutomationResult {
  return resolveAutomation(stage, document, { isLocalStage, now: new Date('2026-11-20T12:00:00Z') });
}

function problemsOf(result: AutomationResult): string[] {
  return result.ok ? [] : result.problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('a document without a fault', () => {
  test('resolves to the one document that ships, with defaults and ISO durations', () => {
    expect(resolve(validDocument())).toMatchSnapshot();
  });

  test('lets a local stage talk to loopback over plain http', () => {
    const document = changed('gateway.baseUrl', 'http://127.0.0.1:4010/');

    const result = resolve(document, 'local', true);

    expect(result.ok && result.automation.gateway.baseUrl).toBe('http://127.0.0.1:4010');
  });

  test('keeps the longest prefix first, whatever order they were written in', () => {
    const { datasetRules } = resolved(validDocument());

    expect(datasetRules.map(({ prefix }) => prefix)).toEqual(['datasets/pii/', 'datasets/']);
  });

  test('takes longestRun for a run without stopAfter', () => {
    const endless = changed('campaigns.chat.runs.smoke.stopAfter', undefined);

    const { runs } = resolved(changed('campaigns.chat.longestRun', '10 hours', endless));

    expect(runs['smoke']).toMatchObject({ guards: { longestRun: 'PT10H' } });
    expect(runs['smoke']).not.toHaveProperty('stopAfter');
  });

  test.each([
    ['1 minute', 'rate(1 minute)'],
    ['90 minutes', 'rate(90 minutes)'],
    ['2 hours', 'rate(2 hours)'],
    ['P1D', 'rate(1 day)'],
  ])('polls every %s by %s', (every, expression) => {
    expect(resolved(changed('scannerPackages[0].every', every)).packageWatches).toMatchObject([{ expression }]);
  });

  test('writes the instant since when uploads are looked for in UTC', () => {
    const { datasetRules } = resolved(changed('datasets[0].since', '2026-11-20T22:00:00+01:00'));

    expect(datasetRules.map(({ since }) => since)).toEqual([undefined, '2026-11-20T21:00:00.000Z']);
  });

  test('warns of a startDate that is over, since AWS refuses it', () => {
    const { warned } = resolved(changed('schedules[0].startDate', '2026-11-01T00:00:00Z'));

    expect(warned).toEqual(['schedules[0].startDate']);
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

  test('lets a rule name a field, or packages that came: each matches something', () => {
    const rules = [
      { match: { field: 'scannerIds', kind: 'changed' }, start: 'smoke' },
      { match: { kind: 'added' }, start: 'smoke' },
    ];

    expect(problemsOf(resolve(changed('scannerPackages[0].onChange', rules)))).toEqual([]);
  });

  test('warns of a deployed stage whose alarms have no receiver, and names an address once', () => {
    const { notify } = resolved(changed('notify.emails', ['soc@example.com', 'b@example.com', 'soc@example.com']));

    expect(resolved(changed('notify', undefined)).warned).toEqual(['notify.emails']);
    expect(resolved(changed('notify.emails', [])).warned).toEqual(['notify.emails']);
    expect(notify.emails).toEqual(['soc@example.com', 'b@example.com']);
    expect(resolve(changed('notify', undefined), 'local', true)).toMatchObject({ ok: true, warnings: [] });
  });

  describe('of two campaigns that share a target', () => {
    const runs = { other: { campaignRunIds: ['019ba000-0000-7000-8000-00000000d001'], stopAfter: '1 hour' } };
    const warned = (overlap: string | undefined, others: string | undefined, target: string | undefined = 'bot') => {
      const [chat, other] = [
        changed('target', target, validDocument().campaigns['chat']),
        { target: 'bot', campaignId: '019ba000-0000-7000-8000-00000000d002', runs },
      ];
      const campaigns = { chat: changed('overlap', overlap, chat), other: changed('overlap', others, other) };
      return resolved(changed('campaigns', campaigns)).warnings.filter((line) => line.startsWith('campaigns'));
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
    const withoutIds = changed('campaigns.chat.runs.nightly.campaignRunIds', []);

    const { warned } = resolved(changed('datasets[1].prefix', 'datasets/pii', withoutIds));

    expect(warned).toEqual(['campaigns.chat.runs.nightly.campaignRunIds', 'datasets[1].prefix']);
  });
});

function ruleOf(rule: object) {
  const { datasetRules, warned } = resolved(changed('datasets', [{ prefix: 'datasets/', ...rule }]));
  return { file: datasetRules[0]?.file, warned };
}

describe('what a dataset rule sends', () => {
  test.each([
    [{ send: 'file' }, { maxBytes: 10_000_000 }],
    [{ send: 'file', maxBytes: 15_000_000, sidecar: 'required' }, { maxBytes: 15_000_000 }],
    [{ sidecar: 'required' }, undefined],
    [{ send: 'reference' }, undefined],
    [{ fileId: '019ba000-0000-7000-8000-00000000d001' }, undefined],
  ])('of %j is the file up to a size, or a reference', (written, file) => {
    expect(ruleOf(written)).toEqual({ file, warned: [] });
  });

  // The gateway refused every upload of such a rule, and synth said nothing.
  test.each(['{stem}', '{key}-{etag}', 'file-1'])('is warned of if it is the fileId %s, which is no uuid', (fileId) => {
    expect(ruleOf({ fileId }).warned).toEqual(['datasets[0].fileId']);
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
      gateway: { baseUrl: 'http://127.0.0.1', status: { start: 'on', stop: 'on' } },
      timezon: 'UTC',
      campaigns: { a: { runs: { nightly: { campaignRunIds: ['x', ids.smoke] }, Smoke: { stopAfter: 'soon' } } } },
      schedules: [
        { name: 'one', start: 'weekly', at: 'rate(1 day)' },
        { name: 'one', stop: 'nightly', at: 'cron(61 * * * ? *)', validFor: '1 hour' },
      ],
      scannerPackages: [{ name: 'w', every: '1 second', onChange: [{ match: {}, start: 'gone' }] }],
      datasets: [{ prefix: 'datasets/x/' }, { prefix: 'datasets/x/', fileId: '{id}', thenStart: 'gone' }],
    };

    const result = resolve(document, 'my stage');

    expect(result.ok ? [] : result.problems.map(({ path }) => path).toSorted()).toEqual([
      '',
      'campaigns.a.runs.Smoke.stopAfter',
      'campaigns.a.runs.nightly',
      'campaigns.a.runs.nightly.campaignRunIds[0]',
      'datasets[0]',
      'datasets[1].fileId',
      'datasets[1].prefix',
      'datasets[1].thenStart',
      'gateway.baseUrl',
      'gateway.status.start',
      'scannerPackages[0].every',
      'scannerPackages[0].onChange[0].start',
      'schedules[0].start',
      'schedules[0].startDate',
      'schedules[1].at',
      'schedules[1].name',
      'schedules[1].validFor',
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
