import { describe, expect, test } from 'vitest';
import type { RunAnswer } from '#console/api.ts';
import { storyOf, whatItDid } from '#console/page/run/story.ts';
import { entry } from '../../../integration/console/page/run-facts.ts';

type Evidence = RunAnswer['evidence'];
type Course = NonNullable<Evidence['course']>;

const at = (time: string) => `2026-12-05T${time}:00.000Z`;

const command = entry('c1', { at: at('22:44'), askedAt: at('21:45') });

const stop: Course['between'][number] = { ...command, id: 's', action: 'stop', outcome: 'applied' };

function evidenceOf(start: Partial<Evidence['start']>, course?: Partial<Course>): Evidence {
  return {
    stage: 'prod',
    writtenAt: at('23:00'),
    timezone: 'UTC',
    versions: { command: '0.9.0' },
    start: { command, effect: 'made', ...start },
    course:
      course &&
      ({
        end: { kind: 'in-flight', countsUntil: '2026-12-06T07:00:00.000Z' },
        confirmation: { state: 'awaited' },
        between: [],
        begun: 'yes',
        comparable: 'unknown',
        ...course,
      } as Course),
  };
}

const told = (evidence: Evidence) => storyOf(evidence).map(({ name, at: when }) => [name, when?.slice(11, 16)]);

describe('the story of a start', () => {
  // A start that a blackout deferred was "sent" three quarters of an hour later, and nothing said why.
  test('tells the blackout that deferred it, and the order is that of the times', () => {
    const deferred = { from: at('21:45'), until: at('22:30'), blackout: 'backup' };
    const sent = { at: at('22:43') };
    const evidence = evidenceOf(
      { command: { ...command, deferred }, sent, effectAt: at('22:50'), stopDueAt: '2026-12-06T06:00:00.000Z' },
      {},
    );

    expect(told(evidence)).toEqual([
      ['requested', '21:45'],
      ['deferred', '21:45'],
      ['sent', '22:43'],
      ['begins', '22:50'],
      ['awaited', undefined],
      ['stops at', '06:00'],
      ['in flight', '07:00'],
    ]);
    expect(storyOf(evidence).map(({ isToCome }) => isToCome)).toEqual([false, false, false, false, false, true, true]);
  });

  // The instant of its first try stood as that of its request.
  test('of a start without an answer has the instant of its request', () => {
    const [, sent] = storyOf(
      evidenceOf({
        command: { ...command, outcome: 'under way', at: at('22:30') },
        effect: 'unknown',
        sent: { at: at('22:43') },
      }),
    );

    expect(sent).toMatchObject({ name: 'sent', at: at('22:43'), tone: 'bad', isToCome: false });
  });

  test('that was made has the id of the request, for the log of the gateway', () => {
    const request = { id: 'r-77', tries: 2, lastError: 'busy' };

    const sent = storyOf(evidenceOf({ command: { ...command, request } })).find(({ name }) => name === 'sent');

    expect(sent?.says).toMatch(/2 attempts, last error: busy; x-request-id r-77$/);
  });

  test.each<[string, Course['end'], object]>([
    [
      'stopped',
      { kind: 'stopped', at: at('22:59'), commandId: 's', command: stop },
      { name: 'stopped', says: 'stopped by schedule weeknights, in time', tone: 'good' },
    ],
    [
      'found ended by its stop',
      { kind: 'stopped', at: at('22:59'), commandId: 's', command: stop, foundEnded: true },
      { name: 'ended', says: 'the stop of schedule weeknights found that it had ended', tone: 'good' },
    ],
    [
      'counted out',
      { kind: 'no-stop', countedUntil: at('22:58') },
      { name: 'no stop', at: at('22:58'), says: 'no stop is known; it counted as in flight until then' },
    ],
    ['without a stop', { kind: 'no-stop' }, { name: 'no stop', says: 'no stop is known' }],
  ])('of a run that was %s ends with that', (_what, end, step) => {
    expect(storyOf(evidenceOf({}, { end })).at(-1)).toMatchObject(step);
  });

  test('of a skip ends with its reason', () => {
    const skipped = { ...command, outcome: 'skipped' as const, reason: 'FROZEN' as const, detail: 'frozen by ann' };

    expect(storyOf(evidenceOf({ command: skipped, effect: 'none' })).at(-1)).toMatchObject({
      name: 'skipped',
      says: 'FROZEN: frozen by ann',
    });
  });

  test('of a start that still waits for the end of its blackout says nothing was sent only once', () => {
    const deferred = { from: at('21:45'), until: at('23:30'), blackout: 'backup' };

    expect(told(evidenceOf({ command: { ...command, outcome: 'deferred', deferred }, effect: 'none' }))).toEqual([
      ['requested', '21:45'],
      ['deferred', '21:45'],
    ]);
  });
});

const ended = { kind: 'stopped' as const, at: at('22:59'), commandId: 's', command: stop };
const shown = { state: 'confirmed' as const };

describe('what a run did', () => {
  // A start without an answer was headed "deferred", which its command was before; one that was only sent was said to run.
  test.each<[string, Partial<Evidence['start']>, Partial<Course> | undefined, string]>([
    ['no answer yet', { effect: 'unknown' }, undefined, 'No answer came to its start: it may run.'],
    ['in flight', {}, {}, 'It was started. The gateway has not shown a run yet.'],
    ['not confirmed', {}, { confirmation: { state: 'missing' } }, 'It was started. The gateway shows no run.'],
    ['runs', {}, { confirmation: shown }, 'It runs, as the gateway shows: it counts as in flight until then.'],
    ['started', {}, { end: ended }, 'It was started; stopped by schedule weeknights, in time.'],
    [
      'ran',
      { effectAt: at('22:45') },
      { end: ended, confirmation: shown },
      'It ran, for 14 min; stopped by schedule weeknights, in time.',
    ],
    ['skipped', {}, { begun: 'no' }, 'No run: it was ended before it began.'],
    ['applied', { effect: 'none' }, undefined, 'No run: nothing was sent to the gateway.'],
  ])('is headed as %s', (word, start, course, says) => {
    expect(whatItDid(evidenceOf(start, course))).toEqual({ word, says });
  });
});
