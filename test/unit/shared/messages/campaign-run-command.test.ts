import { describe, expect, test } from 'vitest';
import { checkCampaignRunCommand, parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';

const now = new Date('2026-11-20T22:00:00.000Z');
const good = {
  version: 1,
  id: 'weeknights@2026-11-20T22:00:00Z',
  action: 'start',
  run: 'nightly',
  issuedAt: '2026-11-20T22:00:00Z',
  origin: { kind: 'schedule', name: 'weeknights' },
};

describe('a command', () => {
  // Such a duration passed, and the worker then threw a RangeError at every delivery for fourteen
  // days.
  test.each(['validFor', 'startDelay', 'stopAfter'])('with a %s beyond 31 days is refused', (field) => {
    expect(checkCampaignRunCommand({ ...good, [field]: 'P31D' }, now)).toMatchObject({ ok: true });
    for (const text of ['P999999999D', 'P32D', 'P31DT1S']) {
      const checked = checkCampaignRunCommand({ ...good, [field]: text }, now);

      expect(checked).toEqual({ ok: false, problems: [`${field}: is longer than 31 days`] });
    }
  });

  test.each([
    ['id', { id: 'a\ud800b' }],
    ['run', { run: '\udc00' }],
    ['reason', { reason: '\ud83d.' }],
    ['origin.name', { origin: { kind: 'operator', name: '\ud800' } }],
  ])('whose %s is half a character is refused', (path, fields) => {
    const problems = [`${path}: is not well-formed Unicode`];

    expect(checkCampaignRunCommand({ ...good, ...fields }, now)).toEqual({ ok: false, problems });
  });

  const uuid = '018f0000-0000-7000-8000-00000000000a';
  const byUuid = { ...good, action: 'stop', run: undefined, campaignRunId: uuid };
  const ofStart = { ...byUuid, startId: 'start-1', origin: { kind: 'watcher', name: 'watch-campaigns' } };

  test.each([
    ['a start of a run, by one of its ids', { ...good, campaignRunId: uuid }],
    ['a stop of a run', { ...good, action: 'stop' }],
    ['a stop by uuid', byUuid],
    ['a stop of one start, by a worker of the stage', ofStart],
    ['a run name of 100 characters', { ...good, run: 'n'.repeat(100) }],
  ])('is %s', (_what, command) => {
    expect(checkCampaignRunCommand(command, now)).toMatchObject({ ok: true });
  });

  test.each([
    ['a start of a uuid alone', { ...good, run: undefined, campaignRunId: uuid }, /^run: names no configured run/],
    ['a stop of a run and of a uuid', { ...byUuid, run: 'nightly' }, /^run: names either/],
    ['a stop of nothing', { ...byUuid, campaignRunId: undefined }, /^run: names either/],
    ['a start that is to stop another', { ...good, startId: 'start-1' }, /^startId: is a field of the stops/],
    ["a person's stop of one start", { ...ofStart, origin: good.origin }, /^startId: is a field of the stops/],
    ['a change of a name', { ...good, action: 'update', name: 'x' }, /^action: /],
    ['a run name of 101 characters', { ...good, run: 'n'.repeat(101) }, /^run: is longer than 100 characters/],
  ])('is not %s', (_what, command, problem) => {
    const checked = checkCampaignRunCommand(command, now);

    expect(checked.ok ? [] : checked.problems).toContainEqual(expect.stringMatching(problem));
  });

  test('that starts and was issued more than five minutes ahead is refused; a stop is not, by no clock', () => {
    const ahead = { ...good, issuedAt: '2026-11-22T22:00:00Z' };

    expect(checkCampaignRunCommand(ahead, now)).toMatchObject({
      problems: [expect.stringContaining('is more than 5 minutes in the future')],
    });
    expect(checkCampaignRunCommand({ ...ahead, action: 'stop' }, now)).toMatchObject({ ok: true });
  });

  test('of a stage that observes says so, or nothing', () => {
    const command = { ...good, isObserved: true };

    expect(checkCampaignRunCommand(command, now)).toEqual({ ok: true, command });
    expect(checkCampaignRunCommand({ ...good, isObserved: false }, now)).toMatchObject({ ok: false });
  });

  test('of an operator may override guards, with a reason', () => {
    const override = { guards: ['blackout', 'gap'], reason: 'INC-77' };
    const command = { ...good, origin: { kind: 'operator', name: 'grace' }, override };

    expect(checkCampaignRunCommand(command, now)).toEqual({ ok: true, command });
    expect(checkCampaignRunCommand({ ...command, action: 'stop' }, now)).toMatchObject({
      problems: ['override: only a start passes guards that can be overridden'],
    });
  });

  test.each(['schedule', 'upload', 'change', 'watcher'])('of a %s may override none', (kind) => {
    const override = { guards: ['gap'], reason: 'x' };

    expect(checkCampaignRunCommand({ ...good, origin: { kind, name: 'x' }, override }, now)).toEqual({
      ok: false,
      problems: ['override: only an operator may override a guard'],
    });
  });

  test.each([
    [{ guards: [], reason: 'x' }, 'override.guards: names no guard'],
    [{ guards: ['unknown'], reason: 'x' }, /^override\.guards\.0: /],
    [{ guards: ['gap'], reason: '' }, /^override\.reason: /],
    [{ guards: ['gap'] }, /^override\.reason: /],
  ])('with the override %j is refused', (override, problem) => {
    const command = { ...good, origin: { kind: 'operator', name: 'grace' }, override };

    expect(checkCampaignRunCommand(command, now)).toMatchObject({ problems: [expect.stringMatching(problem)] });
  });

  test('with whole characters beyond the first plane is taken', () => {
    expect(checkCampaignRunCommand({ ...good, id: '🚀', reason: '𝔘' }, now)).toMatchObject({ ok: true });
  });
});

const read = (input: unknown) => parseCampaignRunCommand(JSON.stringify(input), now);

describe('a message of another version', () => {
  test.each(['start', 'stop'] as const)('that is a %s is read, without the fields that are not known', (action) => {
    const command = { ...good, action };
    const newer = { ...command, wave: 3, origin: { ...good.origin, ticket: 'CHG-1' } };

    expect(read(newer)).toEqual({ ok: true, command, ignored: ['wave', 'origin.ticket'] });
  });

  test('that has to be understood as a whole says so by its number, and is refused', () => {
    expect(read({ ...good, version: 2, wave: 3 })).toMatchObject({ problems: [expect.stringMatching(/^version: /)] });
  });

  // Ignored, such a start would run without its planned stop.
  test('is told from a mistake by the name of the field', () => {
    expect(read({ ...good, stopafter: 'PT8H' })).toMatchObject({
      ok: false,
      problems: ['stopafter: is not a field of a command; did you mean "stopAfter"?'],
    });
    const origin = { ...good.origin, knd: 'operator' };
    expect(read({ ...good, origin })).toMatchObject({ problems: [expect.stringMatching(/^origin\.knd: .*"kind"/)] });
  });

  test('that is no command tells all its problems', () => {
    expect(read({ ...good, wave: 3, action: 'begin', stopafter: 'PT8H' })).toMatchObject({
      problems: [expect.stringMatching(/^action: /), expect.stringMatching(/^stopafter: /)],
    });
  });

  test('is not what people write in a file: there a field that is not known is a problem', () => {
    expect(checkCampaignRunCommand({ ...good, wave: 3 }, now)).toMatchObject({ ok: false });
  });
});

test('a message is read up to 65,536 characters', () => {
  const text = JSON.stringify(good);

  expect(parseCampaignRunCommand(text.padEnd(65_536), now)).toEqual({ ok: true, command: good });
  expect(parseCampaignRunCommand(text.padEnd(65_537), now)).toEqual({
    ok: false,
    problems: ['command: is longer than 65536 characters'],
  });
});
