/**
 * A stage's nights in virtual time: a test sends commands, orders what the gateway answers, and
 * looks at effects and outcomes.
 */
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import type { NightOutcome } from './wired-night.ts';
import { type NightOptions, wireNight } from './wired-night.ts';

export const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Ids of a night. */
export const smokeIds: readonly string[] = Array.from({ length: 40 }, (_, position) => uuid(0xa00 + position));
export const smokeId = uuid(0xa00);
export const campaignId = uuid(0xc0de);

/** The n-th id of a list of runs. */
function nightlyId(position: number): string {
  return uuid(0x1000 + position);
}

/** So many ids of one list. */
export const nightlyIds = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, position) => nightlyId(position));

/** An instant of these nights: a time of day, so many days after Friday, 20 November 2026. */
export function at(time: string, day = 0): string {
  const midnight = Date.parse('2026-11-20T00:00:00Z') + day * 24 * hourMs;
  return new Date(midnight + Date.parse(`1970-01-01T${time.length === 5 ? `${time}:00` : time}Z`)).toISOString();
}

/** A start of `smoke` by a schedule; a test states only its subject. */
export function aStart(id: string, issuedAt: string, fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const origin = { kind: 'schedule', name: 'weeknights' } as const;
  return { version: 1, id, action: 'start', run: 'smoke', issuedAt, origin, ...fields };
}

/** A stop of `smoke` by a person, or of one id. */
export function aStop(id: string, issuedAt: string, fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const { run, ...others } = aStart(id, issuedAt, fields);
  const isOfId = fields.campaignRunId !== undefined;
  return { ...others, ...(isOfId ? {} : { run }), action: 'stop', origin: { kind: 'operator', name: 'ann' } };
}

/** A start by a person who overrides the overlap guard. */
export function anOverride(id: string, issuedAt: string, fields: Partial<CampaignRunCommand> = {}): CampaignRunCommand {
  const override = { guards: ['overlap'], reason: 'CHG-7' } satisfies CampaignRunCommand['override'];
  return aStart(id, issuedAt, { origin: { kind: 'operator', name: 'ann' }, override, ...fields });
}

/** Begins a night on a Friday; the watcher ticks every minute from then on. The timers of the process are still its own. */
export function openNight(options: NightOptions) {
  const { tick, ...wired } = wireNight(options);
  const { time, gateway, queue } = wired;

  const tickEachMinute = () => {
    void tick();
    time.at(minuteMs, tickEachMinute);
  };
  time.at(minuteMs, tickEachMinute);

  const stintsOf = (by: string) => gateway.stints().filter((stint) => stint.by === by);

  return {
    ...wired,
    now: () => new Date(time.nowMs()).toISOString(),
    /** Puts a command into the queue when it is issued, or later. */
    send(command: CampaignRunCommand, lateMs = 0): void {
      const body = JSON.stringify(command);
      time.at(Date.parse(command.issuedAt) + lateMs - time.nowMs(), () => void queue.send(body));
    },
    /** Lets the night go on until this instant. */
    until: async (instant: string) => time.advance(Date.parse(instant) - time.nowMs()),
    /** Lets it go on until something is so, for an hour at most. */
    async untilSeen(isSo: () => boolean): Promise<void> {
      if (!(await time.runUntil(isSo, hourMs))) throw new Error('it was not seen within an hour');
    },
    /** PATCH requests that ask for this. */
    patchesOf: (asks: 'start' | 'stop') => gateway.patches.filter((patch) => patch.asks === asks),
    stintsOf,
    /** Runs that began while another one was running, by the starts of both. */
    overlaps: (): readonly string[] => {
      const stints = gateway.stints();
      return stints.flatMap((later, position) =>
        stints
          .slice(0, position)
          .filter(({ endedMs = Infinity }) => endedMs > later.fromMs)
          .map(({ by }) => `${by} and ${later.by}`),
      );
    },
    /** How many minutes each run of a start lasted, rounded; `running`: it has not ended. */
    minutesOf: (by: string) =>
      stintsOf(by).map(({ fromMs, endedMs }) =>
        endedMs === undefined ? 'running' : Math.round((endedMs - fromMs) / minuteMs),
      ),
    /** How each command ended, as words: `applied`, `skipped OVERLAP`. */
    ends: async (...ids: readonly string[]) => Promise.all(ids.map(async (id) => wordsOf(await wired.outcome(id)))),
  };
}

/** A night at work. */
export type Night = ReturnType<typeof openNight>;

function wordsOf(outcome: NightOutcome | undefined): string {
  if (outcome === undefined) return 'no outcome';
  return [outcome.kind, outcome.reason].filter((word) => word !== undefined).join(' ');
}

function uuid(number: number): string {
  return `018f0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}
