import {
  type Judged,
  judgeSchedule,
  lastOccurrences,
  type SilenceFacts,
} from '#functions/reconcile-ledger/judge-silence.ts';
import {
  findSilentSchedules,
  type SchedulesSeen,
  type SilenceDeps,
} from '#functions/reconcile-ledger/silent-schedules.ts';
import type { OutcomeEvent } from '#shared/aws/outcome-bus.ts';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import type { WatchedSchedule } from '#shared/config/resolve/resolved-automation.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { RecordedOutcome } from '#shared/ledger/rows/row-base.ts';
import { expectDocumented } from '../../../builders/documented-event.ts';
import { quietLog } from '../../../builders/ports.ts';
import { commandRow, runCommand } from '../../../builders/run-rows.ts';
import type { EventType } from '#shared/vocabulary/resource-names.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A Friday; `weeknights` fires at 22:00. */
export const friday = new Date('2026-11-20T12:00:00.000Z');

/** A schedule that starts `nightly` every night at 22:00 UTC. */
export const nightly: WatchedSchedule = {
  name: 'every-night',
  run: 'nightly',
  campaign: 'chat-bot',
  expression: 'cron(0 22 * * ? *)',
  timezone: 'UTC',
  silentAfter: 1,
};

/** The row of the command that a schedule sent at an instant. */
export function occurrence({ name, run }: WatchedSchedule, at: string, fields: Partial<CommandRow> = {}): CommandRow {
  const origin = { kind: 'schedule', name } as const;
  return commandRow(runCommand({ id: `${name}@${at}`, run, issuedAt: at, origin }), fields);
}

/**
 * Passes of the reconciler over the schedules: a clock that is moved, a ledger in memory, and a bus
 * that remembers.
 */
export function createSilenceBench(settings: Partial<SilenceDeps['config']> & { readonly now?: Date } = {}) {
  const ledger = createMemoryLedger();
  const state = {
    now: settings.now ?? friday,
    config: { mode: 'act', blackouts: [], silentAlso: [], schedules: [nightly], ...settings } as SilenceDeps['config'],
    deployed: { expression: nightly.expression, timezone: 'UTC', isEnabled: true } as
      | Partial<DeployedSchedule>
      | undefined,
    seen: {} as SchedulesSeen,
    isBusDown: false,
    lookUps: 0,
  };
  const events: (OutcomeEvent & { readonly type: EventType })[] = [];
  const levels: number[] = [];

  return {
    ledger,
    state,
    events,
    levels,

    /** One pass, at this instant if one is given; the schedules that are silent. */
    async pass(at?: string): Promise<readonly string[]> {
      state.now = at === undefined ? state.now : new Date(at);
      const deps: SilenceDeps = {
        ledger,
        config: state.config,
        stageWords: ['--aws', '--stage', 'prod', '--region', 'eu-west-1'],
        deployed: {
          async find(name) {
            state.lookUps += 1;
            if (state.deployed === undefined) return undefined;
            const found = { name, targetArn: '', input: '{}', expression: '', timezone: '', isEnabled: true };
            return { ...found, ...state.deployed };
          },
        },
        bus: {
          async publish(type, detail) {
            if (state.isBusDown) throw new Error('the bus is down');
            expectDocumented(type, detail);
            events.push({ ...detail, type });
          },
        },
        reports: { log: quietLog, level: (_metric, value) => void levels.push(value) },
        now: () => state.now,
      };
      state.seen = await findSilentSchedules(deps, state.seen);
      return Object.keys(state.seen.silent ?? {});
    },

    /** The row that a worker writes of an occurrence. */
    async end(at: string, outcome: Omit<RecordedOutcome, 'at'>, schedule: WatchedSchedule = nightly): Promise<void> {
      const row = occurrence(schedule, at, { outcome: { ...outcome, at } });
      const before = await ledger.read<CommandRow>(row.pk);
      if ((await ledger.write(before, row)) === undefined) throw new Error('lost the race');
    },
  };
}

/** Judges with facts that a test need not name. The schedule is known since Friday noon. */
export function judge(schedule: WatchedSchedule, facts: Partial<SilenceFacts> & { readonly now: Date }): Judged {
  return judgeSchedule(schedule, lastOccurrences(schedule, facts.now), {
    mode: 'act',
    also: [],
    blackouts: [],
    since: friday,
    commandOf: () => undefined,
    ...facts,
  });
}
