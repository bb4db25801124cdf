import { expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { changed, ids } from '../unit/shared/config/document.ts';
import { wrongThings } from '../unit/shared/config/wrong-things.ts';
import { internalCertificate } from '../integration/shared/gateway-client/certificates.ts';

const now = new Date('2026-11-21T12:00:00Z');
const files: Readonly<Record<string, string>> = {
  './leaf.pem': internalCertificate.cert,
  './key.pem': internalCertificate.key,
  './broken.pem': '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  './empty.pem': 'no certificate',
};

/** Every problem of a document with one change. */
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
  return result.ok ? [] : result.problems.map((one) => `  ${one.path}: ${one.message}`);
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
