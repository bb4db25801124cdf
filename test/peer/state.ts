/** What the peer holds, and the log of what happened at it. */
import { randomUUID } from 'node:crypto';
import type { Behaviour, Course } from './behaviour.ts';
import { Refusal } from './fields.ts';
import type { SentFile } from './request.ts';

/** The state of a run. */
export type RunStatus =
  | 'scheduled'
  | 'in_progress'
  | 'complete'
  | 'error'
  | 'cancelling'
  | 'cancelled'
  | 'schedule_error';

/** What a run says of a provider that had errors. */
export interface ProviderErrors {
  readonly providerName: string;
  readonly errorCount: number;
  readonly totalPrompts: number;
  readonly providerFailed: boolean;
}

/** A campaign run. */
export interface PeerRun {
  readonly id: string;
  readonly campaignId: string;
  readonly scheduleId: string | null;
  readonly createdAt: Date;
  readonly providerIds: readonly string[];
  name: string;
  preserve: boolean;
  status: RunStatus;
  startAt: Date;
  /** When it began: once at most. */
  begunAt: Date | undefined;
  /** From its begin on. */
  course: Course | undefined;
  cancelledAt: Date | undefined;
  endedAt: Date | undefined;
}

/** A schedule of the gateway's own. */
export interface PeerSchedule {
  readonly id: string;
  readonly name: string;
  readonly campaignId: string;
  readonly providerIds: readonly string[];
  readonly startAt: Date;
  readonly everyDays: number;
  readonly count: number | undefined;
  readonly endAt: Date | undefined;
  made: number;
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

/** What a resource that is only read may hold. */
type Resource = Readonly<Record<string, unknown>> & { readonly id: string };

/** A campaign; what it says of its runs is worked out from them. */
type PeerCampaign = Resource & { readonly name: string };

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

/** An effect of one kind. */
export type EffectOf<K extends Effect['kind']> = Extract<Effect, { readonly kind: K }>;

/** All of it. */
export interface PeerState {
  readonly behaviour: Behaviour;
  /** The gateway's own time. */
  readonly now: () => Date;
  readonly runs: Map<string, PeerRun>;
  readonly schedules: Map<string, PeerSchedule>;
  readonly campaigns: Map<string, PeerCampaign>;
  readonly datasets: Map<string, PeerDataset>;
  readonly effects: Effect[];
}

/** Finds a resource, or refuses. */
export function found<T>(resource: T | undefined): T {
  if (resource !== undefined) return resource;
  throw new Refusal(404, 'Not found');
}

/** A run to make. */
export interface NewRun {
  readonly id?: string;
  readonly campaignId: string;
  readonly startAt: Date;
  readonly name?: string;
  readonly scheduleId?: string;
  readonly providerIds?: readonly string[];
}

/** Makes a run that is scheduled. */
export function addRun(state: PeerState, given: NewRun): PeerRun {
  const { id = randomUUID(), campaignId, startAt, name = 'a run', scheduleId = null, providerIds = [] } = given;
  const run: PeerRun = {
    id,
    campaignId,
    scheduleId,
    createdAt: state.now(),
    providerIds,
    name,
    preserve: false,
    status: 'scheduled',
    startAt,
    begunAt: undefined,
    course: undefined,
    cancelledAt: undefined,
    endedAt: undefined,
  };
  state.runs.set(id, run);
  state.effects.push({ at: state.now(), id, kind: 'scheduled', startAt, campaignId });
  return run;
}
