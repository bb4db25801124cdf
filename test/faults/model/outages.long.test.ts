/** I14: long troubles with a backlog, in virtual time: hours of them take a second. */
import { afterEach, expect, test, vi } from 'vitest';
import { parkReasons } from '#shared/vocabulary/reason-codes.ts';
import { isParkable, playStep } from './steps.ts';
import { finish, type Played } from './play.ts';
import { brokenPromises } from './promises/promises.ts';
import { commandsOf, uploadsOf } from './sent-work.ts';
import { mostInAMinute } from './promises/stage-promises.ts';
import { createStage, type Stage } from './stage.ts';
import { takeTimers } from './world/virtual-time.ts';

const minutes = 60_000;
const hours = 60 * minutes;

afterEach(() => vi.unstubAllGlobals());

function createCalmStage(seed = 1): Stage {
  const stage = createStage({ seed, gateway: 'startAt', maxReceiveCount: 1000 });
  takeTimers(stage.world.time, vi.stubGlobal);
  return stage;
}

/** Some hundred uploads and starts, all at once. */
async function sendBacklog(stage: Stage, size: { readonly uploads: number; readonly commands: number }): Promise<void> {
  for (let index = 0; index < size.uploads; index += 1) {
    await playStep(stage, { do: 'upload', files: [{ rule: 'plain', content: 0 }] }, index);
  }
  for (let index = 0; index < size.commands; index += 1) {
    sendCommand(stage, { id: `backlog-${index}`, action: 'start', run: 'many', validFor: 'P1D' });
  }
}

function sendCommand({ world }: Stage, fields: Readonly<Record<string, string>>): void {
  const issuedAt = new Date(world.time.nowMs()).toISOString();
  const origin = { kind: 'operator', name: 'model' };
  world.queues.commands.send(JSON.stringify({ version: 1, issuedAt, origin, ...fields }));
}

const ended = (stage: Stage) => finish(stage, { seed: 1, gateway: 'startAt', maxReceiveCount: 1000, steps: [] });

function parkedIn({ world }: Stage): readonly string[] {
  return world.ledger
    .all()
    .flatMap((row) => (isParkable(row) && row.outcome?.kind === 'parked' ? [row.outcome.reason ?? ''] : []));
}

/** Versions that are not registered, or not exactly once. */
function notMadeOnce(played: Played): readonly string[] {
  return uploadsOf(played)
    .filter(({ row, made }) => row?.state !== 'APPLIED' || made.length !== 1)
    .map(({ object }) => object.versionId);
}

function notApplied(played: Played): readonly string[] {
  return commandsOf(played)
    .filter(({ row }) => row?.outcome?.kind !== 'applied')
    .map(({ command }) => command.id);
}

/**
 * What the whole stage may send in a minute: the configured rates, and one probe for each process.
 */
const configuredPerMinute = { datasets: 4 * 60, all: (4 + 1) * 60 + 4 };
const backlog = { uploads: 300, commands: 60 };

const troubles = [
  ['six hours of a gateway that is down', 'connection refused'],
  ['six hours of 503 with Retry-After', '503 with Retry-After'],
] as const;

test.each(troubles)(
  '[C10] %s parks nothing, calls no more often than configured, and then everything is done once',
  async (_name, fault) => {
    const stage = createCalmStage();
    stage.world.gateway.breakFor(fault, 6 * hours);
    await sendBacklog(stage, backlog);

    await stage.world.time.advance(6 * hours);
    const duringIt = [...stage.world.gateway.requests];
    const played = await ended(stage);

    expect(parkedIn(stage)).toEqual([]);
    expect(stage.world.deadLetters.uploads.sent()).toHaveLength(0);
    expect(stage.world.deadLetters.commands.sent()).toHaveLength(0);
    expect(mostInAMinute(stage.world.gateway.requests)).toBeLessThanOrEqual(configuredPerMinute.all);
    // A gate that holds asks a few times a minute at most, whatever the backlog: after its first
    // seconds.
    expect(
      mostInAMinute(duringIt.filter(({ atMs }) => atMs > (duringIt[0]?.atMs ?? 0) + 5 * minutes)),
    ).toBeLessThanOrEqual(30);
    expect(notMadeOnce(played)).toEqual([]);
    expect(notApplied(played)).toEqual([]);
    expect(brokenPromises(played)).toEqual([]);
  },
);

test('six hours of 500 park a handful of uploads, not a backlog of them, and no start', async () => {
  const stage = createCalmStage();
  stage.world.gateway.breakFor('500', 6 * hours);
  await sendBacklog(stage, backlog);

  await stage.world.time.advance(6 * hours);
  const played = await ended(stage);

  const parked = parkedIn(stage);
  // Three different subjects close the gate; what is under way at that moment may be in doubt as well.
  expect(new Set(parked)).toEqual(new Set(['POST_OUTCOME_UNKNOWN']));
  expect(parked.length).toBeLessThanOrEqual(5);
  expect(parkReasons.POST_OUTCOME_UNKNOWN.nextStep).toContain('resolve');
  expect(brokenPromises(played)).toEqual([]);
});

test('a token that is rotated in the middle of a batch, the old one revoked at once, fails no message', async () => {
  // A seed in which no token is rotated again while a request with the fresh one is under way.
  const stage = createCalmStage(2);
  await sendBacklog(stage, { uploads: 40, commands: 10 });

  for (let rotation = 0; rotation < 4; rotation += 1) {
    await stage.world.time.advance(1700);
    await playStep(stage, { do: 'rotate token', secretAfterMs: 0 }, rotation);
  }
  const played = await ended(stage);

  expect(notMadeOnce(played)).toEqual([]);
  expect(notApplied(played)).toEqual([]);
  // Delivered once each: no message had to come back for it.
  const deliveries = [...stage.world.queues.uploads.receives.values()].map((minutesOf) => [...minutesOf.values()]);
  expect(deliveries.flat().every((count) => count === 1)).toBe(true);
  expect(brokenPromises(played)).toEqual([]);
});
