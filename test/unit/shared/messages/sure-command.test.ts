import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { campaignRunCommandType, isSurelyCommand } from '#shared/messages/campaign-run-command.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const good = {
  version: 1,
  id: 'nightly@2026-11-22T05:55:00Z',
  action: 'stop',
  campaignRunId: '019ba000-0000-7000-8000-000000000301',
  issuedAt: '2026-11-22T05:55:00Z',
  origin: { kind: 'schedule', name: 'nightly' },
};

/** Values that a field may have, right and nearly right, each for any field. */
const anything = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom<unknown>(
      undefined,
      null,
      '',
      'text',
      'two words',
      'line\nbreak',
      'half \uD800',
      'ü',
      'x'.repeat(129),
      'x'.repeat(257),
      'x'.repeat(1201),
      0,
      2,
      '1',
      true,
      [],
      ['start'],
      {},
      'start',
      'update',
      'START',
      'PT1H',
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom<unknown>(
      '019BA000-0000-7000-8000-000000000301',
      '019ba000-0000-9000-8000-000000000301',
      '019ba000-0000-7000-7000-000000000301',
      '00000000-0000-0000-0000-000000000000',
      '2026-02-30T00:00:00Z',
      '2026-02-28T24:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-31T23:59:59.123Z',
      '2026-01-01T00:00Z',
      '2026-01-01T00:00:00+01:00',
      '2026-01-01T00:00:00',
      { kind: 'operator', name: 'ann' },
      { kind: 'unknown', name: 'ann' },
      { kind: 'plan' },
      { kind: 'plan', name: '' },
      { kind: 'plan', name: 'x', more: 1 },
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const fields =
  'version id action run campaignRunId issuedAt origin stopAfter validFor name reason override isObserved other __proto__'.split(
    ' ',
  );
const named = Object.fromEntries(
  Object.entries(good).map(([field, value]) => (field === 'campaignRunId' ? ['run', 'nightly'] : [field, value])),
);
const command = fc
  .tuple(
    fc.constantFrom(good, named),
    fc.array(fc.tuple(fc.constantFrom(...fields), anything), { maxLength: 2 }),
    fc.subarray(fields, { maxLength: 1 }),
  )
  .map(([base, changed, gone]) =>
    Object.fromEntries([...Object.entries(base), ...changed].filter(([field]) => !gone.includes(field))),
  );

test('what is surely a command is one by its type, which drops and changes nothing of it', () => {
  let sure = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: command }, { weight: 1, arbitrary: anything }), (input) => {
      if (!isSurelyCommand(input)) return;
      sure += 1;
      const parsed = campaignRunCommandType.safeParse(input);
      expect(parsed.error?.issues).toBe(undefined);
      expect(parsed.data).toStrictEqual(input);
    }),
    { numRuns: propertyRuns(5000), seed: 20_261_122 },
  );
  expect(sure).toBeGreaterThan(500);
});

test.each([
  ['a stop of a run by its id', good],
  ['a start of a configured run', { ...named, action: 'start' }],
])('%s is surely a command, with no more than each command has', (_what, input) => {
  expect(isSurelyCommand(input)).toBe(true);
});
