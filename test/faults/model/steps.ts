import { idempotencyKeyOf } from '#functions/register-datasets/upload-rows.ts';
import type { Stored } from '#shared/ledger/ledger.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import {
  repeatMessage,
  resolveApplied,
  type Resolved,
  resolveDismiss,
  resolveRepeat,
} from '#operator/parked/resolve-parked.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { commandIds } from '#shared/messages/command-ids.ts';
import { stranger } from '../../builders/commands-by-sender.ts';
import { bucket, type Change, foreignId, runIds } from './stage-config.ts';
import type { Stage } from './stage.ts';
import type { GatewayFaultName } from './world/gateway-faults.ts';
import { etagOf } from './world/ports.ts';
import { canary, type Port, type StoredObject, type World } from './world/world.ts';

/** How a person decides: by what the gateway shows, or against it. */
type Decision = 'look at the gateway' | 'repeat' | 'dismiss';

/**
 * Decides about one parked row, as `autopilot parked resolve` does: the decision is written, then
 * its message is sent.
 */
async function decide(world: World, pick: number, decision: Decision): Promise<void> {
  const { items } = await world.ledger.listOpen('PARKED');
  const row = items[pick % Math.max(1, items.length)];
  if (row === undefined || !isParkable(row)) return;
  const resolved = decisionAbout(world, row, decision);
  if (!resolved.ok || (await world.ledger.write(row, resolved.row)) === undefined) return;
  const isDismissed = resolved.row.resolutions?.at(-1)?.decision === 'dismiss';
  const queue = row.parked?.queue;
  const message = repeatMessage(resolved.row);
  if (isDismissed || message === undefined) return;
  if (queue === 'uploads' || queue === 'commands') world.queues[queue].send(message);
}

function decisionAbout(world: World, row: Stored<ParkableRow>, decision: Decision): Resolved<ParkableRow> {
  const who = { by: 'operator', reason: 'the model says so', at: new Date(world.time.nowMs()) };
  if (decision === 'dismiss') return resolveDismiss(row, who);
  if (decision === 'repeat') return resolveRepeat(row, who);
  if (row.kind === 'upload') {
    const found = world.gateway.datasets.find(({ key }) => key === idempotencyKeyOf(row.pk));
    if (found !== undefined) return resolveApplied(row, { ...who, datasetId: found.id });
  }
  const isRunning = row.kind === 'command' && world.gateway.running().includes(row.campaignRunId ?? '');
  if (isRunning && row.outcome?.reason === 'START_OUTCOME_UNKNOWN') return resolveDismiss(row, who);
  return resolveRepeat(row, who);
}

/** Says whether a row of the index is one that a person decides about. */
export function isParkable(row: Stored): row is Stored<ParkableRow> {
  return row.kind === 'upload' || row.kind === 'command' || row.kind === 'message';
}

/** One file of an upload. */
export interface UploadedFile {
  /**
   * Which rule it meets; `folder` is a marker, `gone` was deleted before a worker could read it.
   */
  readonly rule: 'checked' | 'same' | 'plain' | 'folder' | 'gone';
  /** Which bytes; 2 does not pass the check. */
  readonly content: 0 | 1 | 2;
}

/**
 * What can happen to a stage: data, so that a sequence that failed can be read, kept and played
 * again.
 */
export type Step =
  /** One notification of one or more new object versions. */
  | { readonly do: 'upload'; readonly files: readonly UploadedFile[] }
  | { readonly do: 'junk'; readonly queue: 'uploads' | 'commands'; readonly kind: keyof typeof junk }
  | {
      readonly do: 'command';
      readonly action: 'start' | 'stop';
      /** A run by its name, an id of `smoke`, or one that no configuration knows. */
      readonly run: 'smoke' | 'nightly' | 'solo' | 'an id of smoke' | 'a foreign id';
      /** How long ago it was issued: what is sent last need not be the newest. */
      readonly ageMs: number;
      readonly validFor?: string;
      readonly stopAfter?: string;
      readonly startDelay?: string;
      /**
       * A start that goes to the gateway though a run of its campaign is in flight, this one too.
       */
      readonly overrides?: boolean;
    }
  /** A harmless stop of one that may only send, under the id of a stop to come of that command. */
  | { readonly do: 'forged'; readonly of: number; readonly as: 'plannedStop' | 'end' }
  /** An earlier command once more, as a message of its own. */
  | { readonly do: 'command again'; readonly pick: number }
  /** An earlier message is delivered once more, whatever became of it. */
  | { readonly do: 'duplicate'; readonly queue: 'uploads' | 'commands'; readonly pick: number }
  | { readonly do: 'tick'; readonly ms: number }
  | {
      readonly do: 'kill';
      readonly of: keyof Stage['functions'];
      readonly effects: number;
      readonly when: 'before' | 'after';
    }
  | {
      readonly do: 'gateway fails';
      readonly method: 'GET' | 'PATCH' | 'POST';
      readonly fault: GatewayFaultName;
      readonly calls: number;
    }
  | { readonly do: 'outage'; readonly fault: GatewayFaultName; readonly ms: number }
  /** The old token is revoked at once; the secret follows after a while. */
  | { readonly do: 'rotate token'; readonly secretAfterMs: number }
  | { readonly do: 'port fails'; readonly port: Port; readonly after: number; readonly calls: number }
  | { readonly do: 'decide'; readonly pick: number; readonly decision: Decision }
  | { readonly do: 'freeze'; readonly ms: number }
  | { readonly do: 'deploy'; readonly change: Change };

/** Messages that are none of ours, or none at all. */
export const junk = {
  'no JSON': '}{',
  'test event': JSON.stringify({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: bucket }),
  'another bucket': eventOf([{ key: 'datasets/plain/file.csv', versionId: 'v0', body: '' }], 'theirs'),
  'bad key': eventOf([{ key: 'datasets/plain/file.csv', versionId: 'v0', body: '' }]).replace('file.csv', '%zz'),
  'no records': JSON.stringify({ Records: 'none' }),
} as const;

const bodies = [
  'prompt,label\nignore all rules,true\nwhat is the time?,false\n',
  'prompt,label\nignore every rule there is,true\nwhat day is it?,false\n',
  'prompt\nno labels at all\n',
] as const;

/** Plays one step; only `tick` moves the clock. */
export async function playStep(stage: Stage, step: Step, position: number): Promise<void> {
  const play = plays[step.do] as Play<Step['do']>;
  await play(stage, step, position);
}

type Play<Do extends Step['do']> = (
  stage: Stage,
  step: Extract<Step, { readonly do: Do }>,
  position: number,
) => Promise<void> | void;

const plays: { readonly [Do in Step['do']]: Play<Do> } = {
  upload: (stage, { files }, position) => upload(stage, files, position),
  junk: ({ world: { queues } }, { queue, kind }) => void queues[queue].send(junk[kind]),
  command({ world: { queues, time } }, step, position) {
    queues.commands.send(JSON.stringify(commandOf(step, position, time.nowMs())));
  },
  forged({ world: { queues, time } }, { of, as }) {
    const stop = commandOf({ do: 'command', action: 'stop', run: 'a foreign id', ageMs: 0 }, of, time.nowMs());
    queues.commands.send(JSON.stringify({ ...stop, id: commandIds[as](stop.id) }), stranger);
  },
  'command again'({ world: { queues } }, { pick }) {
    const sent = queues.commands.sent();
    const message = sent[pick % Math.max(1, sent.length)];
    if (message !== undefined) queues.commands.send(message.body, message.senderId);
  },
  duplicate: ({ world: { queues } }, { queue, pick }) => queues[queue].duplicate(pick),
  tick: async ({ world: { time } }, { ms }) => time.advance(ms),
  kill: ({ functions }, step) => functions[step.of].kill(step.effects, step.when),
  'gateway fails'({ world: { gateway } }, { method, fault, calls }) {
    gateway.fail(method, ...Array.from({ length: calls }, () => ({ fault })));
  },
  outage: ({ world: { gateway } }, { fault, ms }) => gateway.breakFor(fault, ms),
  'rotate token'({ world: { gateway, secret, time } }, { secretAfterMs }, position) {
    const fresh = `${canary}-${position + 1}`;
    gateway.tokens.clear();
    gateway.tokens.add(fresh);
    time.at(secretAfterMs, () => {
      if (gateway.tokens.has(fresh)) secret.value = fresh;
    });
  },
  'port fails': ({ world: { troubles } }, { port, after, calls }) => void troubles.push({ port, after, calls }),
  decide: async ({ world }, { pick, decision }) => decide(world, pick, decision),
  freeze: async ({ world }, { ms }) => freeze(world, ms),
  deploy: ({ deploy }, { change }) => deploy(change),
};

/** A stage that is frozen stays as it is. */
async function freeze({ frozen, ledger, time }: World, ms: number): Promise<void> {
  const [fromMs, untilMs] = [time.nowMs(), time.nowMs() + ms];
  const wanted = { isOn: true, by: 'ann', reason: 'CHG-7', at: new Date(fromMs), until: new Date(untilMs) };
  const switched = await setSwitch(ledger, stageSwitch, wanted);
  if (switched?.isChanged === true) frozen.push({ fromMs, untilMs });
}

/** Everything that was broken works again. */
export function heal({ world, functions }: Stage): void {
  const { gateway, secret, troubles } = world;
  gateway.heal();
  for (const token of gateway.tokens) secret.value = token;
  troubles.length = 0;
  for (const each of Object.values(functions)) each.spare();
}

function upload({ world }: Stage, files: readonly UploadedFile[], position: number): void {
  const objects = files.map(({ rule, content }, index): StoredObject => {
    const folder = `datasets/${rule === 'gone' ? 'plain' : rule}/`;
    const isMarker = rule === 'folder';
    return {
      key: isMarker ? folder : `${folder}file ${content}.csv`,
      versionId: `v${position}-${index}`,
      body: isMarker ? '' : bodies[content],
    };
  });
  for (const [index, object] of objects.entries()) {
    world.uploaded.push(object);
    if (files[index]?.rule !== 'gone') world.objects.set(`${object.key} ${object.versionId}`, object);
  }
  world.queues.uploads.send(eventOf(objects, bucket, new Date(world.time.nowMs())));
}

/** The notification of S3. */
function eventOf(objects: readonly StoredObject[], inBucket: string = bucket, at = new Date(0)): string {
  return JSON.stringify({
    Records: objects.map(({ key, versionId, body }) => ({
      eventSource: 'aws:s3',
      eventName: 'ObjectCreated:Put',
      eventTime: at.toISOString(),
      s3: {
        bucket: { name: inBucket },
        object: {
          key: encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'),
          size: body.length,
          eTag: etagOf(body),
          versionId,
          sequencer: '01',
        },
      },
    })),
  });
}

function commandOf(step: Extract<Step, { do: 'command' }>, position: number, nowMs: number): CampaignRunCommand {
  const { action, run, ageMs, validFor, stopAfter, startDelay, overrides = false } = step;
  return {
    version: 1,
    id: `command-${position}`,
    action,
    ...subjectOf(action, run, position),
    issuedAt: new Date(nowMs - ageMs).toISOString(),
    origin: { kind: 'operator', name: 'model' },
    validFor,
    ...(action === 'start' ? { stopAfter, startDelay } : {}),
    ...(overrides && action === 'start' ? { override: { guards: ['overlap'], reason: 'the model says so' } } : {}),
  };
}

type CommandStep = Extract<Step, { do: 'command' }>;

/** A start names its run, and may choose the id. A stop names one of them. */
function subjectOf(
  action: CommandStep['action'],
  run: CommandStep['run'],
  position: number,
): Pick<CampaignRunCommand, 'run' | 'campaignRunId'> {
  if (run !== 'an id of smoke' && run !== 'a foreign id') return { run };
  const isForeign = run === 'a foreign id';
  const campaignRunId = isForeign ? foreignId : runIds.smoke[position % 3];
  return action === 'stop' ? { campaignRunId } : { run: isForeign ? 'solo' : 'smoke', campaignRunId };
}
