import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseScheduleExpression } from '#shared/schedule/schedule-expression.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

describe('accepts what AWS accepts', () => {
  test.each([
    'cron(0 22 ? * MON-FRI *)',
    'cron(0/15 * * * ? *)',
    'cron(*/10 8-18/2 ? JAN,mar 2-6 2026-2030)',
    'cron(0 6 L * ? *)',
    'cron(0 6 LW * ? *)',
    'cron(0 6 15W * ? *)',
    'cron(0 6 ? * L *)',
    'cron(0 6 ? * 6L *)',
    'cron(0 6 ? * FRI#2 *)',
    'cron(0 6 ? * FRI-MON *)',
    'cron(0 22-6 ? NOV-FEB * *)',
    'cron(0 0 29 2 ? *)',
    'rate(1 minute)',
    'rate(15 minutes)',
    'rate(1 hour)',
    'rate(2 days)',
    'at(2026-11-20T22:00:00)',
    ' at(2028-02-29T00:00:00) ',
  ])('%s', (text) => {
    expect(parseScheduleExpression(text)).toMatchObject({ ok: true });
  });
});

describe('says in one sentence what is wrong', () => {
  test.each([
    ['0 22 * * *', 'is not a schedule'],
    ['cron 0 22 ? * * *', 'is not a schedule'],
    ['cron(0 22 * * ?)', 'not 5: these are the five of a crontab; write "cron(0 22 * * ? *)".'],
    ['cron(30 6 * * 0,6)', 'write "cron(30 6 ? * SUN,SAT *)".'],
    ['cron(*/15 8-18 1 JAN *)', 'write "cron(*/15 8-18 1 JAN ? *)".'],
    ['0 22 * * 1-5', 'is not a schedule: these are the five fields of a crontab; write "cron(0 22 ? * MON-FRI *)".'],
    ['0 0 * * 7', 'write "cron(0 0 ? * SUN *)".'],
    // Either day would do for a crontab, and no expression of AWS says that; nor has AWS steps of weekdays, or this hour.
    ['cron(0 22 1 * MON)', 'day-of-week year), not 5.'],
    ['cron(0 22 * * */2)', 'day-of-week year), not 5.'],
    ['0 25 * * *', 'is not a schedule: write cron(…), rate(…) or at(…)'],
    ['cron()', 'not 0'],
    ['cron(0 22 * * * *)', 'exactly one of day-of-month and day-of-week must be "?"'],
    ['cron(0 22 ? * ? *)', 'exactly one of day-of-month and day-of-week must be "?"'],
    ['cron(60 22 ? * * *)', 'the minutes field says "60"'],
    ['cron(0 24 ? * * *)', 'the hours field says "24" where a number from 0 to 23'],
    ['cron(0 0 0 * ? *)', 'the day-of-month field says "0"'],
    ['cron(0 0 ? 13 * *)', 'a number from 1 to 12 or a name from JAN to DEC'],
    ['cron(0 0 ? * 0 *)', 'the day-of-week field says "0"'],
    ['cron(0 0 ? * MON,MOO *)', 'the day-of-week field says "MOO"'],
    ['cron(0 0 ? * 2/2 *)', 'takes no "/"'],
    ['cron(0 0 ? * 6#6 *)', 'one number from 1 to 5'],
    ['cron(0 0 ? * 8L *)', 'comes before L or #'],
    ['cron(0 0 L,15 * ? *)', 'each alone'],
    ['cron(0 0 L-3 * ? *)', 'each alone'],
    ['cron(0 0 32W * ? *)', 'each alone'],
    ['cron(0/0 0 ? * * *)', 'a step of "0"'],
    ['cron(0/60 0 ? * * *)', 'a step of "60"'],
    ['cron(0- 0 ? * * *)', 'cannot be read at "0-"'],
    ['cron(*-5 0 ? * * *)', 'cannot be read at "*-5"'],
    ['cron(1,,2 0 ? * * *)', 'cannot be read at ""'],
    ['cron(0 0 ? * * 1969)', 'the year field says "1969"'],
    ['cron(0 0 ? * * 2030-2026)', 'runs backwards'],
    ['cron(0 0 31 2 ? *)', 'would never run'],
    ['rate(0 minutes)', 'more than zero'],
    ['rate(1 minutes)', 'AWS wants "1 minute"'],
    ['rate(5 minute)', 'AWS wants "5 minutes"'],
    ['rate(5 weeks)', 'minutes, hours or days'],
    ['rate(1.5 hours)', 'minutes, hours or days'],
    ['at(2026-11-31T22:00:00)', 'a real local date'],
    ['at(2026-11-20T24:00:00)', 'a real local date'],
    ['at(2026-11-20T22:00:00Z)', 'a real local date'],
    ['at(2026-11-20 22:00)', 'a real local date'],
  ])('%s', (text, sentence) => {
    expect(parseScheduleExpression(text)).toMatchObject({ ok: false, problem: expect.stringContaining(sentence) });
  });

  test('and never throws, whatever stands between the brackets', () => {
    const field = fc.string({ unit: fc.constantFrom(...'0123456789*?-/,LW#MONJA '.split('')), maxLength: 6 });
    fc.assert(
      fc.property(
        fc.constantFrom('cron', 'rate', 'at'),
        fc.array(field, { minLength: 5, maxLength: 7 }),
        (kind, fields) => {
          expect(typeof parseScheduleExpression(`${kind}(${fields.join(' ')})`).ok).toBe('boolean');
        },
      ),
      { numRuns: propertyRuns() },
    );
  });
});
