import type { RunsConfig } from '#functions/_runs/decide/state.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { GatewayKind } from '../../builders/run-model.ts';

/** What the network and the gateway do with one PATCH. */
export type Fate =
  | 'ok'
  | 'applied, no answer'
  | 'not applied, no answer'
  /** It lands up to a minute later. */
  | 'late, no answer'
  | 'applied, 500'
  | 'not applied, 500'
  | 'not sent'
  /** Something before the gateway answers in its place, with a page. */
  | 'edge 403'
  | 'edge 409'
  | 'edge 530'
  | 'applied, edge 530'
  | 'hangs'
  | 403
  | 404
  | 429
  | 503
  /** The stop word is wrong. */
  | 'names a field';

/** How an attempt dies: `late`: its request leaves all the same, and lands when it can. */
export type Death = 'dead' | 'late' | false;

/** One message. */
export interface Arrival {
  readonly command: CampaignRunCommand;
  readonly atMs: number;
  /** Deliveries of the same command beside it, so much later. */
  readonly copiesMs?: readonly number[];
  /** By how much the clock of its worker is ahead. */
  readonly skewMs?: number;
}

/** An interval, in minutes after ten. */
export interface Minutes {
  readonly from: number;
  readonly lasts: number;
}

/** All that happens beside what the product decides. */
export interface History {
  readonly arrivals: readonly Arrival[];
  readonly config: RunsConfig;
  readonly kind: GatewayKind;
  /** @default it can be read, if the configuration has an id */
  readonly unreadable?: Minutes;
  /** Deployments. */
  readonly deployed?: { readonly atMinute: number; readonly config: RunsConfig };
  readonly gateClosed?: Minutes;
  readonly watcherDown?: Minutes;
  readonly frozen?: Minutes;
  /** The stage only observes; what it began before goes on at the gateway. */
  readonly observing?: Minutes;
  /** Every message that is in the queue then is gone. */
  readonly purgedAtMinute?: number;
  /** A person repeats what is parked, so many minutes later. */
  readonly repeatsAfterMinutes?: number;
  /** PATCHes a second. @default no limit */
  readonly rate?: number;
  /** Sent by one that may only send, at each arrival: under ids of the stage's own commands to come. */
  readonly forged?: readonly CampaignRunCommand[];
  /** What the watcher sends comes a second time so much later. */
  readonly dueAgainMs?: number;
}

/** What chance decides in a history: 0 is the ordinary course. */
export interface Chance {
  readonly fate: (isStart: boolean) => Fate;
  readonly death: (where: 'before a write' | 'after a write' | 'before a PATCH' | 'after a PATCH') => Death;
}

export const tenOClock = Date.parse('2026-11-20T22:00:00Z');
export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** The instant so many minutes after ten. */
export const atMinute = (minute: number) => new Date(tenOClock + minute * minuteMs).toISOString();
