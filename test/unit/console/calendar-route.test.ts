import { describe, expect, test } from 'vitest';
import { type Days, planKept, readCalendar, type ReadPlan } from '#console/routes/calendar.ts';
import { endedCommand, idRow, runCommand } from '../../builders/run-rows.ts';
import { fakeDeps, now } from '../operator/fake-deps.ts';

const hourMs = 3_600_000;
const after = (hours: number) => new Date(now.getTime() + hours * hourMs);
const days: Days = { from: after(-24), now, until: after(24) };
/** A start and its stop are about one id, and every start has its own. */
const idOf = (id: string) => `019ba000-0000-7000-8000-0000000003${id.startsWith('over') ? '01' : '02'}`;

function rowOf(action: 'start' | 'stop', id: string, at: Date) {
  const facts = { due: at.toISOString(), endsAt: after(48).toISOString(), plansStop: true, campaign: 'chat-bot' };
  return endedCommand(runCommand({ id, action, issuedAt: at.toISOString() }), {
    campaignRunId: idOf(id),
    outcome: { kind: 'applied' },
    ...(action === 'start' ? { facts } : {}),
  });
}

// A run that began before the first day had a stop there, and no bar.
test('a calendar has the starts before its first day whose runs reach into it, and no others', async () => {
  const { deps, ledger } = fakeDeps();
  const rows = [
    rowOf('start', 'over', after(-40)),
    rowOf('stop', 'over-stop', after(-36)),
    rowOf('start', 'reaches', after(-30)),
    rowOf('stop', 'reaches-stop', after(-20)),
  ];
  const ends = (['over', 'reaches'] as const).map((startId, index) => {
    const end = { by: `${startId}-stop`, how: 'stopped', at: after(index === 0 ? -36 : -20).toISOString() } as const;
    return idRow({ campaignRunId: idOf(startId), startId, end });
  });
  for (const row of [...rows, ...ends]) await ledger.write(undefined, row);

  const { past } = await readCalendar(days, deps);

  expect(past.map(({ id }) => id)).toEqual(['reaches-stop', 'reaches']);
  expect(past.at(-1)).toMatchObject({ run: { endedAt: after(-20).toISOString() } });
});

/** How many plans are read for questions that come one after the other. */
async function plansReadFor(questions: readonly (readonly [Days, ...Parameters<ReadPlan>[1]])[]): Promise<number> {
  const plan = { now: now.toISOString(), mode: 'act', unread: [], commands: [] };
  const { deps, invoked } = fakeDeps({
    functionAnswer: (input) => ({ payload: JSON.stringify(input.includes('preview') ? plan : { timezone: 'UTC' }) }),
  });
  const readPlan = planKept({ name: 'prod', deps: () => ({ ...deps, elapsedMs: () => 0 }) }, new Map());
  for (const [when, ...bands] of questions) await readPlan(when, bands);
  return invoked.filter((input) => input.includes('preview')).length;
}

describe('a plan', () => {
  const freeze = { scope: 'stage', name: 'stage', by: 'ann', reason: 'INC-77', from: now.toISOString() } as const;

  // The milliseconds of the tab stood in the question, so no two tabs shared an answer.
  test('is one question for tabs that look at the same days within an hour', async () => {
    expect(await plansReadFor([[days], [{ ...days, now: after(0.25) }]])).toBe(1);
  });

  test('is another question in another hour, for other days, and under another freeze', async () => {
    const others = [
      { ...days, now: after(1) },
      { ...days, until: after(48) },
    ];

    expect(await plansReadFor([[days], ...others.map((other) => [other] as const), [days, freeze]])).toBe(4);
  });
});
