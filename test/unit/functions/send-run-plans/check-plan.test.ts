import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPlan, type PlanContext } from '#functions/send-run-plans/check-plan.ts';
import { aPlan } from './plan-bench.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

const context: PlanContext = {
  key: 'run-plans/evening.json',
  issuedAt: '2026-11-20T22:00:00.000Z',
  now: new Date('2026-11-20T22:00:02Z'),
  runNames: ['smoke', 'nightly'],
};
const uuid = '018f0000-0000-7000-8000-000000000001';

function check(plan: unknown, overrides: Partial<PlanContext> = {}) {
  const text = typeof plan === 'string' ? plan : JSON.stringify(plan, undefined, 2);
  return checkPlan(Buffer.from(text), { ...context, ...overrides });
}

function problemsOf(plan: unknown, overrides: Partial<PlanContext> = {}): readonly string[] {
  const checked = check(plan, overrides);
  return checked.ok ? [] : checked.problems;
}

describe('a good plan', () => {
  test('becomes commands with ids that sort as they stand in the plan', () => {
    const checked = check(
      aPlan({ action: 'stop', run: 'smoke' }, { action: 'start', run: 'smoke', reason: 'release 7' }),
    );

    expect(checked).toMatchObject({
      ok: true,
      commands: [
        {
          version: 1,
          id: expect.stringMatching(/^plan:[0-9a-f]{32}:0000$/),
          action: 'stop',
          run: 'smoke',
          issuedAt: context.issuedAt,
          origin: { kind: 'plan', name: context.key },
        },
        { id: expect.stringMatching(/^plan:[0-9a-f]{32}:0001$/), action: 'start', reason: 'release 7' },
      ],
    });
  });

  test('may write durations as people do', () => {
    const checked = check(
      aPlan({ action: 'start', run: 'smoke', validFor: '30 minutes', startDelay: 'PT5M', stopAfter: '8 hours' }),
    );

    expect(checked).toMatchObject({ commands: [{ validFor: 'PT30M', startDelay: 'PT5M', stopAfter: 'PT8H' }] });
  });

  test('may begin with a byte order mark', () => {
    const plan = aPlan({ action: 'start', run: 'smoke' });

    expect(check(`\u{FEFF}${JSON.stringify(plan)}`)).toMatchObject({ ok: true, commands: [{ run: 'smoke' }] });
  });

  test('may stop any run by its uuid, and choose the id of a start of a configured run', () => {
    const plan = aPlan({ action: 'stop', campaignRunId: uuid }, { action: 'start', run: 'smoke', campaignRunId: uuid });

    expect(check(plan)).toMatchObject({ ok: true, commands: [{ campaignRunId: uuid }, { campaignRunId: uuid }] });
  });
});

describe('a plan with faults', () => {
  test('says nothing of the mode of the stage: its commands may not be marked as only observed', () => {
    expect(problemsOf(aPlan({ action: 'stop', run: 'smoke', isObserved: true }))).toEqual([
      expect.stringMatching(/^commands\[0\]\.isObserved, line \d+: is not known here/),
    ]);
  });

  test.each([
    [
      'starts a run by its uuid alone',
      { action: 'start', campaignRunId: uuid },
      'run, line 4: names no configured run',
    ],
    ['changes a run', { action: 'update', run: 'smoke' }, 'action, line 5: '],
    ['renames a run', { action: 'start', run: 'smoke', name: 'mine' }, 'name, line 7: is not known here'],
  ])('is refused if it %s', (_name, command, problem) => {
    expect(problemsOf(aPlan(command))).toEqual([expect.stringContaining(`commands[0].${problem}`)]);
  });

  test('names the position and the line of every one of them', () => {
    const problems = problemsOf(
      aPlan(
        { action: 'start', run: 'smok' },
        { action: 'begin', run: 'smoke' },
        { action: 'start', run: 'smoke', validFor: 'a while' },
        { action: 'start' },
        { action: 'start', run: 'smoke', issuedAt: '2099-01-01T00:00:00Z' },
        'start smoke',
      ),
    );

    expect(problems).toEqual([
      'commands[0].run, line 6: unknown run "smok": known are nightly, smoke',
      expect.stringMatching(/^commands\[1\]\.action, line 9: /),
      expect.stringMatching(/^commands\[2\]\.validFor, line 15: "a while" is not a duration: write a number/),
      expect.stringMatching(/^commands\[3\]\.run, line 17: names no configured run/),
      expect.stringMatching(/^commands\[4\]\.issuedAt, line 23: is not known here: known are action, run, /),
      'commands[5], line 25: is not an object',
    ]);
  });

  test.each([
    ['  \n', /^the plan is empty$/],
    ['{"version": 1,\n "commands": [\n {"action": "start",}\n]}', /^line 3: is not JSON \(property name expected\)$/],
    ['{"version": 1, // tonight\n "commands": []}', /^line 1: is not JSON/],
    [
      '{"version": 1, "commands": [{"action":"start",\n"run":"smoke","run":"nightly"}]}',
      /^line 2: the key "run" is there twice$/,
    ],
    ['[]', /^the plan is not an object/],
    ['{"commands": [{"action":"start","run":"smoke"}]}', /^version, line 1: must be 1$/],
    ['{"version": 1}', /^commands, line 1: must be a list/],
    ['{"version": 1, "commands": []}', /^commands, line 1: holds no command$/],
    [
      '{"version": 1, "commands": [{"action":"start","run":"smoke"}],\n\n "comands": []}',
      /^comands, line 3: is not known here/,
    ],
    ['['.repeat(200_000), /^the plan is nested too deeply$/],
  ])('is refused in plain words (%#)', (text, problem) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(problem)]);
  });

  test('[C9] is refused at any depth', () => {
    const depths = Array.from({ length: 60 }, (_, index) => 200 * (index + 1));

    expect(depths.map((depth) => problemsOf(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`).length > 0)).not.toContain(
      false,
    );
  });

  test('names the line of the first hundred problems, and lists the others without one', () => {
    const twice = problemsOf(`{${'"a":0,\n'.repeat(30_000)}"version":1}`);
    const unknown = problemsOf(`{${Array.from({ length: 20_000 }, (_, n) => `"${n}":0,\n`).join('')}"version":1}`);

    expect(twice).toHaveLength(29_999);
    expect([twice[99], twice[100]]).toEqual(['line 101: the key "a" is there twice', 'the key "a" is there twice']);
    expect(unknown).toHaveLength(20_001);
    expect(unknown[99]).toMatch(/^99, line 100: is not known here/);
    expect(unknown[100]).toMatch(/^100: is not known here/);
  });

  test('is refused beyond a hundred commands', () => {
    const commands = Array.from({ length: 101 }, () => ({ action: 'start', run: 'smoke' }));

    expect(problemsOf(aPlan(...commands))).toEqual([
      expect.stringMatching(/^commands\[100\], line 404: .*at most 100$/),
    ]);
  });

  test('is refused if it is no text', () => {
    expect(checkPlan(Uint8Array.of(0x22, 0xff, 0x22), context)).toEqual({
      ok: false,
      problems: ['the plan is not UTF-8 text'],
    });
  });
});

test('whatever the bytes are, there is an answer', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.json().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        const checked = checkPlan(bytes, context);

        expect(checked.ok || checked.problems.length > 0).toBe(true);
      },
    ),
    propertyRuns(500),
  );
});
