/** The life of a run in the profile `real`, by a clock that the test moves and no timer follows. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { seedIds } from '#gateway/seed/seed-ids.ts';
import type { GatewayOptions } from '#gateway/server.ts';
import { complaints, runningGateway, runOf } from './running-gateway.ts';
import type { TestGateway } from './running-gateway.ts';

const [first, second] = seedIds.campaignRuns.nightly;
const [smoke] = seedIds.campaignRuns.smoke;
const { chatBotNightly, chatBotSmoke } = seedIds.campaigns;
const tonight = '2026-03-02T22:00:00Z';
let clock: Date;
let gateway: TestGateway;
beforeEach(async () => {
  clock = new Date('2026-03-02T12:00:00Z');
  gateway = await started();
});
afterEach(() => gateway.close());

async function started(options: Partial<GatewayOptions> = {}): Promise<TestGateway> {
  return runningGateway({ profile: 'real', now: () => clock, ...options });
}

async function restart(options: Partial<GatewayOptions>): Promise<void> {
  await gateway.close();
  gateway = await started(options);
}

const patch = (run: string, body: unknown) => gateway.send('PATCH', `/backend/v1/campaign-runs/${run}`, body);
const campaign = async (id: string) => (await gateway.get(`/backend/v1/campaigns/${id}`)).body.campaign;

/** What happened to a run, as `time: from > to`. */
async function effects(run: string): Promise<string[] | undefined> {
  return (await runOf(gateway, run))?.transitions
    .filter(({ from, to }) => from !== to)
    .map(({ at, from, to }) => `${at.slice(0, 16)}: ${from} > ${to}`);
}

test('a run begins at its startAt, and ends by itself', async () => {
  await patch(first, { startAt: tonight });
  await patch(smoke, { startAt: tonight });

  clock = new Date('2026-03-02T21:59:59Z');
  expect(await effects(first)).toEqual([]);
  clock = new Date('2026-03-02T22:00:00Z');
  expect(await effects(first)).toEqual(['2026-03-02T22:00: scheduled > in_progress']);
  clock = new Date('2026-03-03T09:00:00Z');

  expect(await effects(first)).toEqual([
    '2026-03-02T22:00: scheduled > in_progress',
    '2026-03-03T05:00: in_progress > complete',
  ]);
  expect(await effects(smoke)).toEqual([
    '2026-03-02T22:00: scheduled > in_progress',
    '2026-03-02T22:45: in_progress > complete',
  ]);
  expect((await runOf(gateway, first))?.transitions.at(-1)).toMatchObject({ by: 'gateway', requestId: null });
});

test('a run lasts as long as the gateway was told, of either campaign', async () => {
  await restart({ runLengthMs: 5 * 60_000 });
  await patch(first, { startAt: tonight });
  await patch(smoke, { startAt: tonight });

  clock = new Date('2026-03-02T22:05:00Z');

  for (const run of [first, smoke])
    expect((await effects(run))?.at(-1)).toBe('2026-03-02T22:05: in_progress > complete');
});

test('the campaign counts a run when it begins, and names the latest', async () => {
  await patch(first, { startAt: '2026-03-02T23:00:00+00:30' });
  await patch(second, { startAt: tonight });
  expect(await campaign(chatBotNightly)).toMatchObject({ runCount: 41 });

  clock = new Date('2026-03-03T09:00:00Z');

  expect(await campaign(chatBotNightly)).toMatchObject({
    runCount: 43,
    lastRun: first,
    lastRunAt: '2026-03-02T22:30:00.000Z',
  });
  expect(await campaign(chatBotSmoke)).toMatchObject({ runCount: 9 });
});

test('a run that has ended never begins again', async () => {
  await patch(first, { startAt: tonight });
  clock = new Date('2026-03-03T09:00:00Z');

  const answer = await patch(first, { startAt: '2026-03-03T22:00:00Z', preserve: true });
  clock = new Date('2026-03-04T09:00:00Z');

  expect(answer.status).toBe(200);
  expect(await effects(first)).toHaveLength(2);
  expect(await runOf(gateway, first)).toMatchObject({ status: 'complete', startAt: tonight, preserve: true });
});

test('a cancelled run never begins, and one that runs ends at once', async () => {
  await patch(first, { startAt: tonight });
  await patch(second, { startAt: tonight });
  await patch(first, { status: 'cancelled' });
  clock = new Date('2026-03-02T23:00:00Z');
  await patch(second, { status: 'cancelled' });
  clock = new Date('2026-03-04T00:00:00Z');

  expect(await effects(first)).toEqual(['2026-03-02T12:00: scheduled > cancelled']);
  expect(await effects(second)).toEqual([
    '2026-03-02T22:00: scheduled > in_progress',
    '2026-03-02T23:00: in_progress > cancelled',
  ]);
  expect(await campaign(chatBotNightly)).toMatchObject({ runCount: 42, lastRun: second });
});

test('a change counts for the run as it is by then, without a request in between', async () => {
  await patch(first, { startAt: tonight });
  clock = new Date('2026-03-02T22:30:00Z');

  await patch(first, { startAt: '2026-03-03T22:00:00Z' });

  expect(await effects(first)).toEqual(['2026-03-02T22:00: scheduled > in_progress']);
  expect(await runOf(gateway, first)).toMatchObject({ startAt: tonight });
});

test.each([
  ['accept', 200],
  ['refuse', 409],
] as const)('with late %s, a change that comes too late is answered %i and changes nothing', async (late, status) => {
  await restart({ late });
  await patch(first, { startAt: tonight });
  await patch(second, { startAt: '2026-03-03T08:30:00Z' });
  clock = new Date('2026-03-03T09:00:00Z');

  const answers = [
    await patch(first, { status: 'cancelled' }),
    await patch(first, { startAt: '2026-03-03T22:00:00Z' }),
    await patch(second, { startAt: '2026-03-03T22:00:00Z' }),
  ];

  expect(answers.map((answer) => answer.status)).toEqual([status, status, status]);
  expect((await patch(second, { status: 'cancelled' })).status).toBe(200);
  expect((await patch(first, { name: 'never late' })).status).toBe(200);
  expect((await effects(first))?.at(-1)).toBe('2026-03-03T05:00: in_progress > complete');
});

test.each(['2026-03-02T12:00:00Z', '2026-03-02T11:59:59Z', '2026-03-02T13:00:00+02:00'])(
  'a startAt of %s at noon is past: 422 that names it',
  async (startAt) => {
    const answer = await patch(first, { startAt });

    expect([answer.status, complaints(answer)]).toEqual([422, ['body.startAt']]);
    expect((await patch(first, { startAt: '2026-03-02T12:00:01Z' })).status).toBe(200);
  },
);

test('a run that is made by hand without a startAt begins at once, as any run that is set to run', async () => {
  const fresh = '00000000-0000-4000-8000-00000000beef';

  await gateway.send('PUT', `/_control/campaign-runs/${fresh}`, { campaignId: chatBotNightly });
  await gateway.send('PUT', `/_control/campaign-runs/${smoke}`, { status: 'in_progress' });

  expect(await effects(fresh)).toEqual(['2026-03-02T12:00: scheduled > in_progress']);
  expect(await campaign(chatBotNightly)).toMatchObject({ runCount: 42, lastRun: fresh });
  clock = new Date('2026-03-02T12:45:00Z');
  expect((await effects(smoke))?.at(-1)).toBe('2026-03-02T12:45: in_progress > complete');
});

test('a start that came before a change of the campaign by hand is not counted after it', async () => {
  await patch(first, { startAt: tonight });
  clock = new Date('2026-03-02T23:00:00Z');

  await gateway.send('PUT', `/_control/campaigns/${chatBotNightly}`, { runCount: 100 });

  expect(await campaign(chatBotNightly)).toMatchObject({ runCount: 100, lastRun: first });
});

test.each(['real', 'interface'] as const)('a run can be read, in the profile %s', async (profile) => {
  await restart({ profile });
  await patch(first, { startAt: tonight });

  const { status, body } = await gateway.get(`/backend/v1/campaign-runs/${first}?includeResults=true`);

  expect(status).toBe(200);
  expect(body.campaignRun).toMatchObject({ id: first, campaignId: chatBotNightly, startAt: tonight, total: null });
  expect((await gateway.get('/backend/v1/campaign-runs/019ba000-0000-7000-8000-00000000dead')).status).toBe(404);
});

test('a run that is read after its end shows that it is complete', async () => {
  await patch(smoke, { startAt: tonight });

  clock = new Date('2026-03-02T22:45:00Z');

  const { body } = await gateway.get(`/backend/v1/campaign-runs/${smoke}`);
  expect(body.campaignRun).toMatchObject({ status: 'complete', startAt: tonight });
});
