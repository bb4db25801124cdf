/** What the peer holds, and the log of what happened at it. */
import { randomUUID } from 'node:crypto';
import type { Behaviour } from './behaviour.ts';
import { Refusal } from './fields.ts';
import type { SentFile } from './request.ts';

/** The state of a run. */
type RunStatus = 'scheduled' | 'in_progress' | 'complete' | 'cancelling' | 'cancelled';

/** A campaign run. */
export interface PeerRun {
  readonly id: string;
  readonly campaignId: string;
  readonly createdAt: Date;
  readonly providerIds: readonly string[];
  name: string;
  preserve: boolean;
  status: RunStatus;
  startAt: Date;
  /** When it began: once at most. */
  begunAt?: Date;
  /** When its length is over, or it is stopped: known from its begin on, or from its stop. */
  endsAt?: Date;
}

/** A dataset as it was made. */
export interface PeerDataset {
  readonly id: string;
  readonly name: string;
  readonly fileId?: string;
  /** Of multipart: the bytes that arrived. */
  readonly file?: SentFile;
  readonly scannerId: string | null;
  readonly scannerPackageId: string | null;
  readonly scannerVersions: readonly string[] | null;
}

/** What happened at the gateway. Its time is the gateway's. */
export type Effect = { readonly at: Date; readonly id: string } & (
  | { readonly kind: 'scheduled'; readonly startAt: Date; readonly campaignId: string }
  | { readonly kind: 'moved'; readonly from: Date; readonly to: Date }
  | { readonly kind: 'renamed'; readonly name: string }
  | { readonly kind: 'preserved'; readonly preserve: boolean }
  /** A run that had not begun is out; one in progress begins to end. */
  | { readonly kind: 'cancelled'; readonly was: RunStatus }
  | { readonly kind: 'began'; readonly campaignId: string }
  | { readonly kind: 'ended'; readonly status: RunStatus }
  | { readonly kind: 'dataset'; readonly name: string }
);

export type EffectOf<K extends Effect['kind']> = Extract<Effect, { readonly kind: K }>;

export interface PeerState {
  readonly behaviour: Behaviour;
  /** The gateway's own time. */
  readonly now: () => Date;
  readonly runs: Map<string, PeerRun>;
  readonly datasets: Map<string, PeerDataset>;
  readonly effects: Effect[];
}

/** Finds a resource, or refuses. */
export function found<T>(resource: T | undefined): T {
  if (resource !== undefined) return resource;
  throw new Refusal(404, 'Not found');
}

/** A run to make. */
export type NewRun = Pick<PeerRun, 'campaignId' | 'startAt'> & Partial<Pick<PeerRun, 'id' | 'name' | 'providerIds'>>;

/** Makes a run that is scheduled. */
export function addRun(state: PeerState, given: NewRun): PeerRun {
  const made = { id: randomUUID(), name: 'a run', providerIds: [], createdAt: state.now() };
  const run: PeerRun = { ...made, ...given, preserve: false, status: 'scheduled' };
  const { id, startAt, campaignId } = run;
  state.runs.set(id, run);
  state.effects.push({ at: state.now(), id, kind: 'scheduled', startAt, campaignId });
  return run;
}
