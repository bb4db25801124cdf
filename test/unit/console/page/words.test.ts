import { describe, expect, test } from 'vitest';
import { linkTo, parseRoute } from '#console/page/connection/route.ts';
import { clockTime } from '#shared/schedule/written-times.ts';
import { sectionOf } from '#console/routes/parked.ts';
import { addDays, instantOfWall, offsetOf } from '#console/nights/times.ts';

describe('a time', () => {
  test('of the repeated hour is told apart by its offset', () => {
    const [first, second] = [Date.parse('2026-10-25T00:30:00Z'), Date.parse('2026-10-25T01:30:00Z')];

    expect([clockTime(first, 'Europe/Dublin'), clockTime(second, 'Europe/Dublin')]).toEqual(['01:30', '01:30']);
    expect([offsetOf(first, 'Europe/Dublin'), offsetOf(second, 'Europe/Dublin')]).toEqual(['+01:00', '+00:00']);
  });

  test.each([
    ['2026-10-25', '2026-10-24T23:00:00Z'],
    ['2026-10-26', '2026-10-26T00:00:00Z'],
    ['2026-03-29', '2026-03-29T00:00:00Z'],
    ['2026-03-30', '2026-03-29T23:00:00Z'],
  ])('of midnight on %s is found also around a change of the clocks', (date, instant) => {
    expect(new Date(instantOfWall(`${date}T00:00`, 'Europe/Dublin'))).toEqual(new Date(instant));
    expect(addDays(addDays(date, 40), -40)).toBe(date);
  });
});

test('an address leads back to the same screen, whatever a key holds', () => {
  const key = 'datasets/a b?c#d/e%2f.csv';

  expect(parseRoute(linkTo('prod', 'uploads', key))).toMatchObject({ stage: 'prod', screen: 'uploads', subject: key });
  expect(parseRoute('#/prod/nothing')).toMatchObject({ stage: '', screen: 'stages' });
  expect(parseRoute('#/%E0%A4%A/now')).toMatchObject({ stage: '', screen: 'stages' });
});

test('a section of the runbook becomes paragraphs, lists and words, without its commands', async () => {
  const runbook =
    '### CONFLICT\n\nno\n\n### OBJECT_GONE\n\n> what it\n> means\n\n**Look.** a `b`\n[c](d.md)\n\n- one\n  goes on\n\n    autopilot status\n\n### FORBIDDEN\n';

  expect(await sectionOf(runbook, 'OBJECT_GONE')).toEqual([
    { element: 'p', children: ['what it means'] },
    {
      element: 'p',
      children: [{ element: 'strong', children: ['Look.'] }, ' a ', { element: 'code', children: ['b'] }, ' ', 'c'],
    },
    { element: 'ul', children: [{ element: 'li', children: ['one goes on'] }] },
  ]);
});
