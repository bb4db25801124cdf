/** Plays a short history of the filler: two at once, a death between any two steps, two faults. */
import { poolName } from '#functions/watch-campaigns/pools/pool-calls.ts';
import { poolIds, type PoolRow } from '#shared/ledger/rows/run-row.ts';
import type { LedgerRow } from '#shared/ledger/ledger-row.ts';
import { peerIds } from '../../../../peer/seed.ts';
import { aCommand } from '../../update-campaign-runs/harness/update-bench.ts';
import { type LocalFault, peerInProcess } from './peer-in-process.ts';
import { aPool, createPoolStage, day, minute } from './pool-stage.ts';

const keepReady = 2;
/** What may happen in a history. */
export const acts = ['tick', 'start', 'another-pool', 'drain'] as const;
/** What may happen to a request. */
export const faults: Readonly<Record<string, LocalFault>> = {
  'answer lost': { kind: 'lose-answer' },
  'request lost': { kind: 'lose-request' },
  403: { kind: 'answer', status: 403, body: { detail: 'Not enough permissions' } },
  422: { kind: 'answer', status: 422, body: { detail: 'no' } },
  429: { kind: 'answer', status: 429, body: { detail: 'slow down' } },
};

/** What the pool may hold when a history begins. */
export const begins = ['nothing', 'all', 'all, one used'] as const;

export interface History {
  /** What the pool holds when it begins. */
  readonly before: (typeof begins)[number];
  readonly first: (typeof acts)[number];
  /** Done whole while the first is about to make this effect. */
  readonly other: (typeof acts)[number] | undefined;
  readonly atEffect: number;
  /** The first makes this effect and no later one. */
  readonly dies: boolean;
  /** By the number of the request from there on. */
  readonly faults: readonly { readonly request: number; readonly what: string }[];
}

/** Plays a history, lets two days pass, and gives what broke a sentence of the design. */
export async function broken(history: History): Promise<readonly string[]> {
  let peer: ReturnType<typeof peerInProcess> | undefined;
  const stage = createPoolStage((now) => (peer = peerInProcess(now)), keepReady);
  const { behaviour, state, requests } = peer ?? peerInProcess(stage.now);
  const starts: string[] = [];

  async function act(what: (typeof acts)[number], cut?: ReturnType<typeof cutAt>): Promise<void> {
    const { ledger = stage.ledger, gateway = stage.gateway } = cut ?? {};
    if (what === 'start') {
      const id = `start-${starts.length}`;
      starts.push(id);
      return void (await stage.deliver(aCommand({ id, issuedAt: stage.now().toISOString() }), { ledger, gateway }));
    }
    if (what === 'another-pool') stage.deploy(aPool({ keepReady, providerIds: [peerIds.providers.second] }));
    await stage.tick({ ledger, gateway, drains: what === 'drain' });
  }

  /** The stage as the first sees it: at an effect something else comes between, or it dies. */
  function cutAt({ atEffect, other, dies }: History) {
    let [effects, isDead] = [0, false];
    const effect = async <Result>(make: () => Promise<Result>): Promise<Result> => {
      if (isDead) throw new Error('killed');
      if (effects++ === atEffect && other !== undefined) await act(other);
      const [made] = await Promise.allSettled([make()]);
      isDead = dies && effects > atEffect;
      if (isDead) throw new Error('killed');
      if (made.status === 'rejected') throw made.reason;
      return made.value;
    };
    const { ledger, gateway } = stage;
    return {
      ledger: {
        ...ledger,
        write: async <Row extends LedgerRow>(...change: Parameters<typeof ledger.write<Row>>) =>
          effect(async () => ledger.write<Row>(...change)),
        writeAll: async (changes: Parameters<typeof ledger.writeAll>[0]) =>
          effect(async () => ledger.writeAll(changes)),
      },
      gateway: {
        ...gateway,
        makeRun: async (input: Parameters<typeof gateway.makeRun>[0]) => effect(async () => gateway.makeRun(input)),
        listRuns: async (input: Parameters<typeof gateway.listRuns>[0]) => effect(async () => gateway.listRuns(input)),
        updateCampaignRun: async (input: Parameters<typeof gateway.updateCampaignRun>[0]) =>
          effect(async () => gateway.updateCampaignRun(input)),
      },
    };
  }

  if (history.before !== 'nothing') await stage.tickFor(minute);
  if (history.before === 'all, one used') await act('start');
  const from = requests.length;
  behaviour.faultOf = () => {
    const index = requests.length - from - 1;
    return faults[history.faults.find(({ request }) => request === index)?.what ?? ''];
  };
  await act(history.first, cutAt(history)).catch(() => {});

  const settles = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      stage.passMs(minute);
      for (const id of starts) {
        if ((await stage.outcomeOf(id)) === undefined) {
          await stage.deliver(aCommand({ id, issuedAt: stage.now().toISOString() }));
        }
      }
      await stage.tick();
    }
  };
  await settles(7);
  stage.passMs(day);
  await settles(7);
  behaviour.faultOf = () => undefined;
  stage.passMs(day);
  await settles(2);
  const says = await judged();
  for (let ticks = 0; ticks < 3; ticks += 1) await stage.tick({ drains: true });
  const left = stage.runs().filter(({ status }) => status === 'scheduled');
  return left.length === 0 ? says : [...says, `${left.length} runs are left of drained pools`];

  async function judged(): Promise<string[]> {
    const { effects } = state;
    const runs = stage.runs();
    const pools = stage.ledger.all().filter((row): row is typeof row & PoolRow => row.kind === 'pool');
    const held = new Set(pools.flatMap(({ made }) => made.map(({ id }) => id)));
    const current = await stage.row();
    const scheduled = runs.filter(({ status }) => status === 'scheduled');
    const lost = history.faults.filter(({ what }) => what === 'answer lost').length;
    const outcomes = await Promise.all(starts.map(async (id) => stage.commandOf(id)));
    const applied = outcomes.flatMap((row) => (row?.outcome?.kind === 'applied' ? [row.campaignRunId] : []));
    const moved = new Set(effects.flatMap((one) => (one.kind === 'moved' ? [one.id] : [])));
    const begun = effects.flatMap((one) => (one.kind === 'began' ? [one.id] : []));
    const ready = current === undefined ? 0 : poolIds(current, stage.now()).length;
    const ofCurrent = scheduled.filter(({ name }) => current !== undefined && name === poolName(current)).length;
    return [
      ...begun.filter((id) => !moved.has(id)).map((id) => `${id} began without a start`),
      ...(new Set(applied).size < applied.length ? ['an id was used by two starts'] : []),
      ...applied.filter((id) => !begun.includes(id ?? '')).map((id) => `${id} was started and never began`),
      ...effects.flatMap((one) => (one.kind === 'cancelled' && one.was !== 'scheduled' ? [`${one.id} was ended`] : [])),
      ...scheduled.filter(({ id }) => !held.has(id)).map(({ id }) => `${id} is in no pool`),
      ...(ofCurrent < scheduled.length ? ['runs of a pool that is configured no more are scheduled'] : []),
      ...(ready < keepReady || ready > keepReady + lost ? [`${ready} of ${keepReady} are ready`] : []),
      ...(ofCurrent === ready ? [] : [`${ofCurrent} are scheduled and ${ready} ready`]),
      ...outcomes.flatMap((row) => (row?.outcome === undefined ? ['a start has no outcome'] : [])),
    ];
  }
}
