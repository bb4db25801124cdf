import { commandLine } from '#shared/text/command-line.ts';
import { expect, test } from 'vitest';
import { outsideFindings, topListing } from '#operator/doctor/function-findings.ts';
import { fakeDeps, type FakeStage } from '../fake-deps.ts';

const own = 'gateway-autopilot-prod-000000000000-eu-west-1';
const prod = { kind: 'aws', stage: 'prod', region: 'eu-west-1' } as const;

/** What doctor says of a stage with these names at the top of its bucket. */
async function found(names: readonly string[], stage: FakeStage & { readonly isPartial?: boolean } = {}) {
  const topOfBucket = () => ({ names, isPartial: stage.isPartial === true });
  const { deps } = fakeDeps({ bucketName: own, target: prod, topOfBucket, ...stage });
  return outsideFindings(deps);
}

test('a bucket with nothing beside the two prefixes is as it should be', async () => {
  expect(await found([])).toMatchObject([{ state: 'ok', says: 'none outside of datasets/' }]);
  expect(await found(['datasets/'])).toMatchObject([{ state: 'ok' }]);
});

// A file below a misspelled prefix vanished without a trace.
test('a misspelled prefix and a file beside the prefixes are named, with the command that lists them all', async () => {
  expect(await found(['dataset/', 'datasets/', 'names.csv'])).toEqual([
    {
      subject: 'other files',
      state: 'warning',
      says: 'outside of datasets/ no part of Autopilot sees dataset/, names.csv; put below datasets/ what is meant for it',
      next: { says: 'List them all.', command: topListing(own, { kind: 'aws', stage: 'prod', region: 'eu-west-1' }) },
    },
  ]);
});

test('three names are enough, and a long or invisible one can be printed', async () => {
  const [many] = await found(['a', 'b', 'c', 'd']);
  const [odd] = await found(['x'.repeat(1024), 'a\u202Eb']);

  expect(many?.says).toContain('sees a, b, c, …; put');
  expect(odd?.says).toContain(`sees '${'x'.repeat(60)}…', $'a\\342\\200\\256b'; put`);
});

test('a page that is full of others is not said to be all', async () => {
  expect(await found(['a/', 'datasets/'], { isPartial: true })).toMatchObject([
    { state: 'warning', says: expect.stringContaining('sees a/, …; put') },
  ]);
  expect(await found(['datasets/'], { isPartial: true })).toMatchObject([{ state: 'unknown' }]);
});

test('in a bucket that the stage shares, the files of others are no warning', async () => {
  expect(await found(['reports/'], { bucketName: 'our-files' })).toMatchObject([
    { state: 'unknown', says: expect.stringMatching(/sees reports\/; the bucket is shared$/) },
  ]);
});

test('without the permission doctor says that it could not look, and which permission lacks', async () => {
  const refused = Object.assign(
    new Error(`User: ann is not authorized to perform: s3:ListBucket on resource: "arn:aws:s3:::${own}"`),
    { name: 'AccessDenied' },
  );
  const topOfBucket = (): never => {
    throw refused;
  };

  expect(await found([], { topOfBucket })).toMatchObject([
    {
      state: 'unknown',
      says: expect.stringMatching(/^cannot be looked for: you lack the permission s3:ListBucket on arn:aws:s3:::/),
    },
  ]);
});

test('on one machine the command has the endpoint and the credentials of the stage', () => {
  const folder = '/tmp/it is/.autopilot';
  const local = { kind: 'local', stage: 'local', endpoint: 'http://127.0.0.1:1', region: 'eu-west-1', folder } as const;

  expect(commandLine(topListing('b', local))).toMatch(
    /^env 'AWS_SHARED_CREDENTIALS_FILE=\/tmp\/it is\/.autopilot\/credentials' aws s3api .* --endpoint-url http:\/\/127.0.0.1:1 --region eu-west-1$/,
  );
});
