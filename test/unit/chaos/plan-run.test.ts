import { expect, test } from 'vitest';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { chaosAutomation } from '../../chaos/events/automation-document.ts';
import { commandMessage } from '../../chaos/events/command-events.ts';
import { ChaosUsageError, readChaosOptions } from '../../chaos/chaos-options.ts';
import { drawFault, requestsBeforeFault } from '../../chaos/gateway-faults.ts';
import { planRun } from '../../chaos/events/plan-run.ts';
import { seededRandom } from '../../chaos/events/seeded-random.ts';
import { faultSchema } from '#gateway/faults/fault.ts';

const drawn = () => 'drawn';

test('the same seed plans the same run, another seed another', () => {
  const plan = planRun({ events: 300, seed: 'a' });

  expect(planRun({ events: 300, seed: 'a' })).toEqual(plan);
  expect(planRun({ events: 300, seed: 'b' })).not.toEqual(plan);
});

test('a plan holds every event, with every mistake that people make among the uploads', () => {
  const { uploads, commands, order } = planRun({ events: 2000, seed: 'a' });

  expect(uploads.length + commands.length).toBe(2000);
  expect(new Set(order).size).toBe(2000);
  expect(new Set(uploads.map(({ right }) => right))).toEqual(new Set(['dataset', 'person', 'nothing']));
  expect(Map.groupBy(uploads, ({ key }) => key).size).toBeLessThan(uploads.length);
});

test('its commands are readable ones but for those that are meant not to be, and lie in the past', () => {
  const { commands } = planRun({ events: 400, seed: 'a' });
  const startedAt = new Date('2026-11-21T12:00:00Z');

  const parsed = commands.map((event) =>
    parseCampaignRunCommand(commandMessage(event, commands.length, startedAt), startedAt),
  );

  expect(parsed.map(({ ok }) => ok)).toEqual(commands.map(({ unreadable }) => unreadable === undefined));
  const issued = parsed.flatMap((message) => (message.ok ? [Date.parse(message.command.issuedAt)] : []));
  expect(Math.max(...issued)).toBeLessThan(startedAt.getTime());
});

test('its automation is one that synth takes', () => {
  const document = chaosAutomation(planRun({ events: 400, seed: 'a' }).runs, new Date());

  const result = resolveAutomation('chaos', document, { isLocalStage: true, now: new Date() });

  expect(result.ok).toBe(true);
});

test('every fault is one that the gateway takes, and requests are struck as often as asked for', () => {
  const random = seededRandom('a', 'faults');
  for (let index = 0; index < 500; index += 1) expect(faultSchema.safeParse(drawFault(random)).success).toBe(true);

  const draws = Array.from({ length: 20_000 }, () => requestsBeforeFault(0.2, random));
  const struck = draws.length / (draws.length + draws.reduce((sum, gap) => sum + gap, 0));
  expect(struck).toBeCloseTo(0.2, 2);
});

test('without options it is a small run of our own workers; help is help', () => {
  expect(readChaosOptions([], drawn)).toEqual({
    events: 200,
    kills: 20,
    faults: 0.2,
    seed: 'drawn',
    worker: 'autopilot',
  });
  expect(readChaosOptions(['--help', '--kills', 'x'], drawn)).toBe('help');
});

test.each([
  [['--events', '0'], /--events 0 is not a whole number from 1/],
  [['--events', '1e9'], /--events 1e9 is not a whole number/],
  [['--kills', '-3'], /--kills/],
  [['--faults', '1'], /--faults 1 is not a number from 0 to 0.9/],
  [['--faults', ''], /--faults/],
  [['--worker', 'lambda'], /none of autopilot, naive, powertools/],
  [['--event', '5'], /--help lists the options/],
  [['500'], /--help lists the options/],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => readChaosOptions(args, drawn)).toThrow(ChaosUsageError);
  expect(() => readChaosOptions(args, drawn)).toThrow(sentence);
});
