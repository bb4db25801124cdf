/** Commands that ended: 760 in the last 14 days, the others in the 400 days for which rows are kept. */
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { endedCommand, runCommand } from '../../../builders/run-rows.ts';

/** The rows of the history. */
const historyCount = 10_000;

/** Commands of the last 14 days. */
const recentCount = 760;

/** The one command of the history that a person searches for, by its reason. It is older than 6,000 others. */
export const searched = { index: 6_400, run: 'nightly', reason: 'CHG-4711 the quarterly release' } as const;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const recentMs = 14 * dayMs;
const olderMs = 300 * dayMs;

/** @param now - of the stage */
export function historyRows(now: Date): readonly CommandRow[] {
  return Array.from({ length: historyCount }, (_, index) => historyRow(index, now));
}

/** The newest has the index 0. A stop has an even index, and the start before it the next one. */
function historyRow(index: number, now: Date): CommandRow {
  const at = instantOf(index, now);
  const action = index % 2 === 0 ? 'stop' : 'start';
  const command = runCommand({
    id: `all-day-${index}@${at.toISOString()}`,
    action,
    run: 'smoke',
    issuedAt: at.toISOString(),
    origin: { kind: 'schedule', name: 'all-day' },
    ...(index === searched.index ? { run: searched.run, reason: searched.reason } : {}),
  });
  return endedCommand(command, endOf(index, at, action));
}

function endOf(index: number, at: Date, action: 'start' | 'stop'): Parameters<typeof endedCommand>[1] {
  if (action === 'start' && index % 10 === 1) {
    const detail = 'a run of this campaign is in flight';
    return {
      outcome: { kind: 'skipped', reason: 'OVERLAP', detail },
      verdicts: [{ guard: 'overlap', verdict: 'skip', detail }],
    };
  }
  const endsAt = new Date(at.getTime() + 10 * minuteMs).toISOString();
  return {
    // A start and its stop are about one id, and no other start uses it.
    campaignRunId: `019ba000-0000-7000-8000-${String(Math.floor(index / 2)).padStart(12, '0')}`,
    outcome: { kind: 'applied', detail: action === 'start' ? 'the run was started' : 'the run was stopped' },
    facts:
      action === 'start' ? { campaign: 'chat-bot-smoke', due: at.toISOString(), endsAt, plansStop: true } : undefined,
  };
}

/** The start of last night, which a freeze held back. */
export function frozenNight(now: Date, why: string): CommandRow {
  const issuedAt = `${new Date(now.getTime() - dayMs).toISOString().slice(0, 10)}T21:45:00.000Z`;
  const detail = `frozen by ann: ${why}`;
  return endedCommand(runCommand({ id: 'last-night', issuedAt }), {
    outcome: { kind: 'skipped', reason: 'FROZEN', detail },
    verdicts: [{ guard: 'frozen', verdict: 'skip', detail }],
  });
}

function instantOf(index: number, now: Date): Date {
  const isRecent = index < recentCount;
  const [count, span] = isRecent ? [recentCount, recentMs] : [historyCount - recentCount, olderMs];
  const back = (span * ((isRecent ? index : index - recentCount) + 0.5)) / count;
  return new Date(now.getTime() - back - (isRecent ? 0 : recentMs));
}
