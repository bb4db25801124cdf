import { expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { changed, ids, validDocument } from '../unit/shared/config/document.ts';
import { wrongThings } from '../unit/shared/config/wrong-things.ts';
import { internalCertificate } from '../integration/shared/gateway-client/certificates.ts';
import { expiredCertificate } from '../faults/bench/expired-certificate.ts';

const now = new Date('2026-11-21T12:00:00Z');
const files: Readonly<Record<string, string>> = {
  './expired.pem': expiredCertificate.cert,
  './leaf.pem': internalCertificate.cert,
  './key.pem': internalCertificate.key,
  './broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  './empty.pem': 'no certificate',
};

/** Every problem, or every warning, of a document with one change. */
function said(path: string, value: unknown, stage = 'prod'): readonly string[] {
  const result = resolveAutomation(stage, path === '' ? value : changed(path, value), {
    isLocalStage: false,
    now,
    readText(file) {
      const text = files[file];
      if (text === undefined) throw new Error(`ENOENT: no such file, open '${file}'`);
      return text;
    },
  });
  return (result.ok ? result.warnings : result.problems).map((one) => `  ${one.path}: ${one.message}`);
}

function listed(what: string, lines: readonly string[]): string {
  return [what, ...lines, ''].join('\n');
}

/** A document of many mistakes: all of them are named, in the order of its sections. */
const manyMistakes = {
  gateway: { baseUrl: 'http://127.0.0.1', status: { start: 'on', stop: 'on' }, requestsPerSecond: { runs: -1 } },
  timezon: 'UTC',
  campaigns: { a: { runs: { nightly: { campaignRunIds: ['x'], campaignRunId: ids.smoke }, Smoke: {} } } },
  schedules: [
    { name: 'one', start: 'weekly', at: 'rate(1 day)' },
    { name: 'one', stop: 'nightly', at: 'cron(61 * * * ? *)', validFor: '1 hour' },
  ],
  datasets: [{ prefix: 'datasets/x/' }, { prefix: 'datasets/x/', thenStart: 'gone' }],
};

test('the sentence about each mistake of a document', async () => {
  const texts = [
    ...wrongThings.map(([what, path, value]) => listed(what, said(path, value))),
    listed('no document', said('', undefined)),
    listed('a name that no stage may have', said('timezone', 'Europe/Dublin', 'my stage')),
    listed('a file of certificates that is not there', said('gateway.caBundle', './gone.pem')),
    listed('a file of certificates without one', said('gateway.caBundle', './empty.pem')),
    listed('a file of certificates with a key', said('gateway.caBundle', './key.pem')),
    listed('a broken certificate', said('gateway.caBundle', './broken.pem')),
    listed('many mistakes', said('', manyMistakes)),
  ];

  await expect(texts.join('\n')).toMatchFileSnapshot('files/configuration-problems.txt');
});

const often = { name: 'often', start: 'nightly', at: 'cron(0 0/6 * * ? *)', timezone: 'UTC' } as const;
const yearEnd = { name: 'year end', from: '2026-12-19T00:00', to: '2027-01-04T00:00' } as const;
const other = {
  target: 'bot',
  overlap: 'allow',
  runs: { other: { campaignRunIds: ['019ba000-0000-7000-8000-00000000d001'], stopAfter: '1 hour' } },
};

/** What is allowed and probably not meant, by what it is. */
const oddThings: readonly (readonly [what: string, path: string, value: unknown])[] = [
  ['nothing odd', 'timezone', 'Europe/Dublin'],
  ['alarms that reach no person', 'notify', undefined],
  ['a certificate that expired', 'gateway.caBundle', './expired.pem'],
  ['a certificate of no authority', 'gateway.caBundle', './leaf.pem'],
  ['statuses that prove something by themselves', 'gateway.postMayRepeatOn', [502, 422, 409, 401]],
  ['a run without ids', 'campaigns.chat.runs.nightly.campaignRunIds', []],
  [
    'a campaign that allows overlap beside one that does not',
    'campaigns',
    { chat: { ...validDocument().campaigns['chat'], target: 'bot' }, other },
  ],
  ['a fileId that is no uuid', 'datasets[0]', { prefix: 'datasets/', fileId: '{stem}-{etag}' }],
  ['a fileId that is rarely a uuid', 'datasets[0]', { prefix: 'datasets/', fileId: '{stem}' }],
  ['a prefix without a slash', 'datasets[1].prefix', 'datasets/pii'],
  ['a start date that is over', 'schedules[0].startDate', '2026-11-01T00:00:00Z'],
  [
    'a start date of a rate that is over',
    'schedules',
    [{ name: 'daily', start: 'smoke', at: 'rate(1 day)', startDate: '2026-11-01T00:00:00Z' }],
  ],
  [
    'times that the clocks skip and repeat',
    'schedules',
    [{ name: 'weekly', start: 'nightly', at: 'cron(30 1 ? * SUN *)' }],
  ],
  [
    'many times that the clocks skip',
    'schedules',
    [{ name: 'every-ten-minutes', start: 'smoke', at: 'cron(0/10 1 * * ? *)' }],
  ],
  [
    'a schedule whose starts all fall into a blackout',
    '',
    {
      ...validDocument(),
      schedules: [{ name: 'once', start: 'nightly', at: 'at(2026-12-24T22:00:00)' }],
      blackouts: [yearEnd],
    },
  ],
  ['a start while the run before it is in flight', 'schedules', [often]],
];

test('the sentence about each odd thing of a document', async () => {
  const texts = oddThings.map(([what, path, value]) => listed(what, said(path, value)));

  await expect(texts.join('\n')).toMatchFileSnapshot('files/configuration-warnings.txt');
});
