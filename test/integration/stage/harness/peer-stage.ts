import type { Behaviour } from '../../../peer/behaviour.ts';
import { type Peer, startPeer } from '../../../peer/peer.ts';
import type { Effect } from '../../../peer/state.ts';
import { type InProcessStage, letTimePass, openInProcessStage } from './in-process-stage.ts';
import { temporaryFolder } from './stage-process.ts';
import type { TestedAutomation } from './write-automation.ts';

/** A stage against the strict peer, which goes by the stage's clock. What happened to a run, the peer says. */
export interface PeerStage {
  /** It is another one after a deployment. */
  readonly stage: () => InProcessStage;
  readonly peer: Peer;
  readonly autopilot: InProcessStage['autopilot'];
  /** Lets the stage work until this instant. */
  readonly passUntil: (instant: string) => Promise<void>;
  readonly pass: (minutes: number) => Promise<void>;
  /** Ends the stage, and runs another configuration on its state. */
  readonly deploy: (automation: TestedAutomation) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** What the stage asked to change of a run, and the status of the answer. */
export interface AskedChange {
  readonly id: string | undefined;
  readonly body: unknown;
  readonly status: number | undefined;
}

/** Runs a configuration against a new peer; the stage closes and the peer with it. */
export async function openPeerStage(
  automation: TestedAutomation,
  behaviour: Partial<Behaviour> = {},
): Promise<PeerStage> {
  const folder = temporaryFolder();
  let stage: InProcessStage | undefined;
  const peer = await startPeer({
    tokens: ['token'],
    behaviour,
    now: () => (stage === undefined ? new Date() : new Date(stage.clock.now())),
  });
  const open = async (next: TestedAutomation) =>
    openInProcessStage({ dataDir: folder.path, automation: next, addressOf: async () => peer.url });
  const opened = (): InProcessStage => {
    if (stage === undefined) throw new Error('the stage is not open');
    return stage;
  };
  stage = await open(automation);
  return {
    peer,
    stage: opened,
    autopilot: async (...args) => opened().autopilot(...args),
    passUntil: async (instant) => letTimePass(opened(), Date.parse(instant) - opened().clock.now()),
    pass: async (minutes) => letTimePass(opened(), minutes * 60_000),
    async deploy(next) {
      await opened().close();
      stage = await open(next);
    },
    async close() {
      await opened().close();
      await peer.close();
      folder.remove();
    },
  };
}

/** Every change of a run that the stage asked for, in this order. */
export function askedChanges({ requests }: Peer): readonly AskedChange[] {
  return requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ path, body, answer }) => ({
      id: path.split('/').at(-1),
      body: body.kind === 'json' ? body.value : body,
      status: answer?.status,
    }));
}

/** What happened to a run, in this order; a run begins at its time to the millisecond. */
export function lifeOf(peer: Peer, id: string): readonly string[] {
  return peer.effects().flatMap((effect) => (effect.id === id && effect.kind !== 'scheduled' ? [wordsOf(effect)] : []));
}

function wordsOf(effect: Effect): string {
  switch (effect.kind) {
    case 'moved':
      return `moved to ${effect.to.toISOString()}`;
    case 'renamed':
      return `renamed ${effect.name}`;
    case 'preserved':
      return `preserved ${effect.preserve}`;
    case 'began':
      return `began ${effect.at.toISOString()}`;
    case 'cancelled':
      return `cancelled ${effect.was}`;
    case 'ended':
      return `ended ${effect.status}`;
    default:
      return effect.kind;
  }
}
