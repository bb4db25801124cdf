import { describe, expect, it } from 'vitest';
import { NotSentError, RedirectError, TokenUnavailableError } from '#shared/gateway-client/index.ts';
import { failing, ofEdge, statusError } from '../../../builders/ports.ts';
import { closedGate, createGateBench, dueProbe, unreachable, verdictOf } from './gate-bench.ts';

describe('an open gate', () => {
  it('lets all callers go, and is read once for a batch', async () => {
    const bench = createGateBench();
    const gate = bench.gate();

    const waits = [await gate.waitMs(), await gate.waitMs(), await gate.waitMs()];
    await gate.answered();

    expect(waits).toEqual([0, 0, 0]);
    expect(bench.state).toMatchObject({ reads: 1, writes: 0, probes: [] });
  });

  it.each([400, 408, 409, 413, 422, 501])('stays open after a %i, whatever it is about', async (code) => {
    const bench = createGateBench();
    const gate = bench.gate();

    for (const about of ['a', 'b', 'c', 'd']) await gate.failed(verdictOf(code), about);

    expect(await gate.waitMs()).toBe(0);
    expect(bench.state.writes).toBe(0);
  });
});

describe('a pause that the gateway asks for', () => {
  it('holds this environment at once and every other by its next batch, and ends without a probe', async () => {
    const bench = createGateBench();
    const [one, other] = [bench.gate('one'), bench.gate('other')];
    await other.waitMs();

    await one.failed(verdictOf(429, 60_000), 'upload-1');
    const atOnce = await one.waitMs();
    bench.passALittle();
    const elsewhere = await other.waitMs();
    bench.pass(54_000);

    expect([atOnce, elsewhere]).toEqual([60_000, 54_000]);
    expect([await one.waitMs(), await other.waitMs()]).toEqual([0, 0]);
    expect(bench.state.probes).toEqual([]);
    expect(bench.counted).toEqual(['GatePaused']);
    expect(bench.lines).toMatchObject([{ event: 'gate_paused', level: 'warn' }]);
  });

  it('is made longer and never shorter, and is written only if it is', async () => {
    const bench = createGateBench();
    const gate = bench.gate();

    await gate.failed(verdictOf(503, 60_000), 'a');
    await gate.failed(verdictOf(429, 10_000), 'b');
    const afterShorter = { writes: bench.state.writes, waitMs: await gate.waitMs() };
    await gate.failed(verdictOf(429, 90_000), 'c');

    expect(afterShorter).toEqual({ writes: 1, waitMs: 60_000 });
    expect(await gate.waitMs()).toBe(90_000);
    expect(await bench.row()).toMatchObject({
      since: '2026-11-20T22:00:00.000Z',
      reason: 'POST /datasets was answered 503',
    });
  });
});

describe('an outage', () => {
  it('is suspected by the failures of three different calls in a row, in whatever environments', async () => {
    const bench = createGateBench();
    const gates = ['one', 'two', 'three'].map((owner) => bench.gate(owner));

    for (const [index, gate] of gates.entries()) await gate.failed(unreachable, `upload-${index}`);

    expect(await bench.row()).toMatchObject({
      closed: { failedProbes: 0 },
      since: '2026-11-20T22:00:00.000Z',
      reason: expect.stringContaining('3 different calls failed in a row'),
    });
    expect(await bench.row()).not.toHaveProperty('suspects');
    expect(bench.lines).toMatchObject([{ event: 'gate_closed', level: 'error' }]);
    expect(bench.counted).toEqual(['GateClosed']);
  });

  it('is not suspected of one call that fails again and again', async () => {
    const bench = createGateBench();
    const gate = bench.gate();

    for (let time = 0; time < 10; time += 1) await gate.failed(unreachable, 'upload-1');

    expect(await gate.waitMs()).toBe(0);
    expect(bench.state.writes).toBe(1);
  });

  it('is not suspected if an answer comes between, which is noted only if there is something to forget', async () => {
    const bench = createGateBench();
    const gate = bench.gate();

    for (const about of ['a', 'b']) await gate.failed(unreachable, about);
    await gate.answered();
    await gate.answered();
    for (const about of ['c', 'd']) await gate.failed(unreachable, about);

    expect(await gate.waitMs()).toBe(0);
    expect(bench.state.writes).toBe(5);
  });

  it.each([
    ['a token that stays refused', verdictOf(401)],
    ['a path that is not there', verdictOf(404)],
  ])('is plain at the first call that meets %s', async (_what, verdict) => {
    const bench = createGateBench();
    const gate = bench.gate();

    await gate.failed(verdict, 'upload-1');

    expect(await gate.waitMs()).toBe(27_000);
  });

  it('is suspected if one token is forbidden many things, and not if it is forbidden one', async () => {
    const bench = createGateBench();
    const gate = bench.gate();

    for (const about of ['a', 'a', 'a']) await gate.failed(verdictOf(403), about);
    const afterOne = await gate.waitMs();
    for (const about of ['b', 'c']) await gate.failed(verdictOf(403), about);

    expect(afterOne).toBe(0);
    expect(await gate.waitMs()).toBeGreaterThan(0);
    expect(bench.counted.filter((metric) => metric === 'AuthRefused')).toHaveLength(5);
  });
});

describe('a closed gate', () => {
  it('is probed by one caller when the time has come, and opens for all', async () => {
    const { bench, gate } = await dueProbe(async () => {
      duringProbe = await other.waitMs();
    });
    const other = bench.gate('other');
    let duringProbe = 0;

    const waitMs = await gate.waitMs();

    expect(waitMs).toBe(0);
    expect(duringProbe).toBe(30_000);
    bench.passALittle();
    expect(await other.waitMs()).toBe(0);
    expect(bench.state.probes).toHaveLength(1);
    expect(bench.counted).toEqual(['AuthRefused', 'GateClosed', 'GateOpened']);
    expect(bench.lines.at(-1)).toMatchObject({
      event: 'gate_opened',
      fields: { closedSince: '2026-11-20T22:00:00.000Z' },
    });
  });

  it('stays closed if the probe fails: each interval twice as long, five minutes at most', async () => {
    const { bench, gate } = await closedGate();
    bench.faults.probe = failing(new NotSentError('GET /scanner-packages'));

    const waits: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      bench.pass(await gate.waitMs());
      waits.push(await gate.waitMs());
    }

    expect(waits).toEqual([54_000, 108_000, 216_000, 270_000, 270_000, 270_000]);
    expect(bench.state.probes).toHaveLength(6);
    expect(bench.counted.filter((metric) => metric === 'GateClosed')).toHaveLength(7);
    expect(await bench.row()).toMatchObject({
      since: '2026-11-20T22:00:00.000Z',
      reason: 'GET /scanner-packages was not sent',
      closed: { failedProbes: 6 },
    });
  });

  it('opens to a gateway that answers a probe with a pause, and keeps the pause', async () => {
    const { bench, gate } = await dueProbe(failing(statusError(429, { retryAfterMs: 120_000 })));

    expect(await gate.waitMs()).toBe(120_000);
    expect(await bench.row()).not.toHaveProperty('closed');
  });

  it.each([400, 403, 404, 405, 410, 422])('[A35] opens to a gateway that refuses its probe with %i', async (code) => {
    const { bench, gate } = await dueProbe(failing(statusError(code)));

    expect(await gate.waitMs()).toBe(0);
    expect(bench.counted.filter((metric) => metric === 'GateOpened')).toHaveLength(1);
  });

  it.each([
    ['a refused token', statusError(401)],
    ['a tunnel that is down', statusError(530, { details: ofEdge })],
    ['a login page that refuses the token', statusError(401, { details: ofEdge })],
    ['no answer', new NotSentError('GET /scanner-packages')],
  ])('[A35] stays closed if its probe meets %s', async (_what, failure) => {
    const { gate } = await dueProbe(failing(failure));

    expect(await gate.waitMs()).toBe(54_000);
  });

  it.each([
    ['a redirect', new RedirectError('GET /scanner-packages', { status: 302, location: 'https://login.example.com' })],
    ['a firewall', statusError(403, { details: ofEdge })],
  ])('[A35] whose probe meets %s stays closed, and one real call an interval goes out', async (_what, failure) => {
    const { bench, gate } = await dueProbe(failing(failure));
    const other = bench.gate('environment-2');

    // It asks before it prepares, and again before it sends.
    const asked = [await gate.waitMs(undefined, 'attempt-1'), await gate.waitMs(undefined, 'attempt-1')];
    const others = [await gate.waitMs(undefined, 'attempt-2'), await other.waitMs(undefined, 'attempt-3')];
    await gate.failed(verdictOf(500), 'upload-1');
    const afterwards = await gate.waitMs(undefined, 'attempt-1');

    expect(asked).toEqual([0, 0]);
    expect([...others, afterwards]).toEqual([54_000, 54_000, 54_000]);
    expect(await bench.row()).toMatchObject({ closed: { refusedBy: 'edge', failedProbes: 1 } });
  });

  it('[A35] whose probe a firewall refuses opens if the real call is answered', async () => {
    const { bench, gate } = await dueProbe(failing(statusError(403, { details: ofEdge })));

    await gate.waitMs(undefined, 'attempt-1');
    await gate.answered();

    expect(await bench.row()).not.toHaveProperty('closed');
    expect(bench.counted).toContain('GateOpened');
    expect(await gate.waitMs()).toBe(0);
  });

  it('[A35] that was opened by refused probes closes for longer each time, until a call is answered', async () => {
    const { bench, gate } = await closedGate();
    bench.faults.probe = failing(statusError(404));

    const waits: number[] = [];
    for (let probe = 0; probe < 4; probe += 1) {
      bench.pass(await gate.waitMs());
      await gate.waitMs();
      await gate.failed(verdictOf(404), 'upload-1');
      waits.push(await gate.waitMs());
    }
    bench.pass(await gate.waitMs());
    await gate.waitMs();
    await gate.answered();
    await gate.failed(verdictOf(404), 'upload-1');

    expect(waits).toEqual([54_000, 108_000, 216_000, 270_000]);
    expect(await gate.waitMs()).toBe(27_000);
  });

  it.each([
    [30_000, 12_000],
    [120_000, 15_000],
    [undefined, undefined],
  ])('[A35] has its probe take no longer than a read: of %s ms left, %s', async (remainingMs, probeMs) => {
    const { bench, gate } = await dueProbe();

    await gate.waitMs(remainingMs === undefined ? undefined : () => remainingMs);

    expect(bench.state.probeTimes).toEqual([probeMs]);
  });

  it('[A35] leaves its probe to the next caller if this one has no time for it', async () => {
    const { bench, gate } = await dueProbe();

    const short = await gate.waitMs(() => 2000);
    const next = await gate.waitMs(() => 30_000);

    expect([short, next]).toEqual([1, 0]);
    expect(bench.state.probes).toHaveLength(1);
  });

  it('says in its log and its count for as long as the token is refused or missing', async () => {
    const { bench, gate } = await closedGate();
    const failures = [statusError(401), new TokenUnavailableError(new Error('NO_TOKEN'), { retryable: false })];
    bench.faults.probe = async () => {
      throw failures.shift();
    };

    for (const _ of [1, 2]) {
      bench.pass(await gate.waitMs());
      await gate.waitMs();
    }

    expect(bench.counted.filter((metric) => metric === 'AuthRefused')).toHaveLength(3);
    expect(bench.lines.filter(({ event }) => event === 'auth_refused').map(({ level }) => level)).toEqual(
      Array(3).fill('error'),
    );
  });

  it('stays as others left it if a prober comes back long after its time', async () => {
    const { bench, gate: slow } = await dueProbe();
    const answered = Promise.withResolvers<void>();
    const begun = new Promise<void>((resolve) => {
      bench.faults.probe = () => {
        resolve();
        return answered.promise;
      };
    });
    const late = slow.waitMs();
    await begun;
    bench.pass(30_000);
    bench.faults.probe = failing(new NotSentError('GET /scanner-packages'));
    await bench.gate('next').waitMs();

    answered.resolve();

    expect(await late).toBe(54_000);
    expect(await bench.row()).toMatchObject({ closed: { failedProbes: 1 } });
  });

  it('takes no notice of what calls that were under way come to, except of a pause', async () => {
    const { bench, gate } = await closedGate();

    await gate.failed(verdictOf(401), 'upload-2');
    await gate.failed(unreachable, 'upload-3');
    await gate.answered();
    const writes = bench.state.writes;
    await gate.failed(verdictOf(429, 900_000), 'upload-4');

    expect(writes).toBe(1);
    expect(await gate.waitMs()).toBe(900_000);
    expect(await bench.row()).toMatchObject({ closed: {}, reason: 'POST /datasets was answered 401' });
  });
});

describe('a ledger that fails', () => {
  it('never spoils the outcome of a call that is over, and this environment obeys all the same', async () => {
    const bench = createGateBench();
    const gate = bench.gate();
    await gate.waitMs();
    bench.faults.ledger = failing(new Error('the ledger is not there'));

    await gate.failed(verdictOf(429, 60_000), 'upload-1');

    expect(await gate.waitMs()).toBe(60_000);
    expect(bench.lines).toMatchObject([{ event: 'gate_unwritten', level: 'warn' }]);
  });
});
