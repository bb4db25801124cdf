import { randomUUID } from 'node:crypto';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { BenchRow, Figure } from '../bench-row.ts';
import { s3Message } from '../drain/s3-message.ts';
import { countCalls } from '../measure/count-calls.ts';
import { buildDeployed, commandsEvent, sqsEvent } from '../measure/deployed-function.ts';
import { unpacedConfig, watchConfig } from '../measure/function-config.ts';
import { gateReads } from '../responder/aws-answers.ts';
import { openResponder, type Responder } from '../responder/open-responder.ts';

/** Records of each kind: some full batches. */
const records = 40;

/**
 * As the uploads come. Commands come one by one; full batches leave out what a batch takes of its
 * own.
 */
const batch = uploadsBatchSize;

/**
 * The gate's row is read when it is older than 5 s, so at most once a batch unless every record
 * reads it.
 */
const mostGateReads = 1 / batch;

/** What is counted, the bar of each, and what the calls are for. */
interface Kind {
  readonly name: string;
  readonly bar: number;
  readonly why: string;
  /** What the gateway was asked for by each record. */
  readonly method: 'PATCH' | 'POST';
  readonly bodies: readonly object[];
}

/**
 * Calls of AWS for each record, of the bundles as they are uploaded and through the clients of AWS.
 * The secret and the gate's row are figures of their own: an environment reads them once, or by the
 * clock.
 */
export const awsCalls: BenchRow = {
  id: 'aws-calls',
  title: 'AWS calls per record as deployed',
  peer: 'what the promise needs',
  isNoiseFree: true,
  async measure() {
    await using responder = await openResponder();
    await using folder = await mkdtempDisposable(join(tmpdir(), 'autopilot-bench-'));
    const { origin } = responder;
    const config = { ...unpacedConfig(origin), runs };
    const commands = await buildDeployed('update-campaign-runs', folder.path, origin, config);
    const uploads = await buildDeployed('register-datasets', folder.path, origin, config);
    const figures: Figure[] = [];
    for (const kind of commandKinds) figures.push(await figureOf(commands, kind, responder));
    figures.push(await figureOf(uploads, uploadKind, responder));
    const poll = await pollFigure(folder.path, responder);
    return { figures: [...figures, poll, ...(await clockedFigures(responder))], notes };
  },
};

/**
 * Campaigns with a list of ids, a campaign to read and a planned stop: all that a start may need.
 */
const runs: Readonly<Record<string, ResolvedRun>> = Object.fromEntries(
  Array.from({ length: 2 * records }, (_, index) => [nameOf(index), runOf(index)]),
);

const byUuid = Array.from({ length: records }, (_, index) => index);
const byName = Array.from({ length: records }, (_, index) => records + index);

const commandKinds: readonly Kind[] = [
  {
    name: 'start by name',
    bar: 5,
    why: 'a read of its rows, a transaction before the PATCH and one after, an event',
    method: 'PATCH',
    bodies: [...byUuid, ...byName].map((index) => ({ action: 'start', run: nameOf(index) })),
  },
  {
    name: 'stop by uuid',
    bar: 4.2,
    why: 'a read of its rows, a transaction before the PATCH and one after, an event',
    method: 'PATCH',
    bodies: byUuid.map((index) => ({ action: 'stop', campaignRunId: idOf(index) })),
  },
  {
    name: 'stop by name',
    bar: 4.2,
    why: 'the same: the row of its target has the run in flight',
    method: 'PATCH',
    bodies: byName.map((index) => ({ action: 'stop', run: nameOf(index) })),
  },
];

const uploadKind: Kind = {
  name: 'applied upload',
  bar: 5.2,
  why: 'a read of its row, one of the object, three writes',
  method: 'POST',
  bodies: Array.from({ length: records }, (_, index) => JSON.parse(s3Message(`datasets/${index}.csv`, new Date()))),
};

const notes = [
  `batches of ${batch}; each reads and writes the list of recent outcomes, 0.2 calls a record; a command that comes alone has 2 of these`,
  'no two records have a row in common but that list',
];

async function figureOf(bundle: string, kind: Kind, responder: Responder): Promise<Figure> {
  const { name, bar, why, method, bodies } = kind;
  const make = method === 'PATCH' ? commandsEvent : sqsEvent;
  const events = Array.from({ length: bodies.length / batch }, (_, index) =>
    make(bodies.slice(index * batch, (index + 1) * batch)),
  );
  const { aws, awsCalls: value } = await countCalls({ bundle, events, records: bodies.length, method }, responder);
  const calls = Object.entries(aws).map(([call, times]) => `${call} ${Number(times.toFixed(2))}`);
  return { name, value, unit: 'calls', bar, detail: `${calls.join(', ')}: ${why}` };
}

/**
 * A poll of twenty packages, one of them changed, after a first look at them: all that a poll may
 * need.
 */
async function pollFigure(folder: string, responder: Responder): Promise<Figure> {
  const events = [{ watch: 'vendor' }];
  const poll = async (baseUrl: string) => {
    const config = watchConfig(baseUrl, { pages: 1, perPage: 20 });
    const bundle = await buildDeployed('poll-scanner-packages', folder, baseUrl, config);
    return countCalls({ bundle, events, records: 1, method: 'GET' }, responder);
  };
  await poll(responder.origin);
  const { aws, awsCalls: value } = await poll(`${responder.origin}/edition-1`);
  const calls = Object.entries(aws).map(([call, times]) => `${call} ${times}`);
  const why =
    'its rows, a transaction, a start, an event, the change set dropped and its line for scores, the list of recent outcomes';
  return {
    name: 'poll of 20 packages, one changed',
    value,
    unit: 'calls',
    bar: 8,
    detail: `${calls.join(', ')}: ${why}`,
  };
}

/** Environments in which the records were handled, and the two polls. */
const environments = commandKinds.length + 1 + 2;

/** What an environment asks for once, or by the clock. A gate that is asked again for each record makes one read each. */
async function clockedFigures({ asked }: Responder): Promise<readonly Figure[]> {
  const { aws } = await asked();
  const [reads, fetches] = [aws[gateReads] ?? 0, aws['GetSecretValue'] ?? 0];
  const all = [...commandKinds, uploadKind].reduce((sum, { bodies }) => sum + bodies.length, 0);
  const detail = `${reads} reads in ${environments} environments, ${all} records`;
  return [
    { name: "reads of the gate's row", value: reads / all, unit: 'calls', bar: mostGateReads, detail },
    {
      name: 'secret fetches per environment',
      value: fetches / environments,
      unit: 'calls',
      bar: 1,
      detail: `${fetches} in ${environments} environments`,
    },
  ];
}

function nameOf(index: number): string {
  return `nightly-${index}`;
}

function idOf(index: number): string {
  return `019ba000-0000-7000-8004-${String(index).padStart(12, '0')}`;
}

function runOf(index: number): ResolvedRun {
  const name = nameOf(index);
  return {
    name,
    campaign: name,
    campaignId: randomUUID(),
    guards: { target: name, overlap: 'skip' },
    campaignRunIds: [idOf(index), randomUUID(), randomUUID(), randomUUID()],
    stopAfter: 'PT8H',
  };
}
