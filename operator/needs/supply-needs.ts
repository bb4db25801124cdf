import type { JudgedFinding } from '../finding.ts';
import { type IdsLeft, idsWords, type Supplies } from '../plan/ids-left.ts';
import type { ReadStatus } from '../status/status.ts';

/** Fewer starts than this are reported: a month's end is near, or the budget is. */
const lowStarts = 3;

/** Run ids and starts of the month that are used up, or soon will be. Pure. */
export function supplyFindings({ ids = [], budgets = [], idsUnread }: ReadStatus): readonly JudgedFinding[] {
  const subject = 'run ids and budgets';
  if (idsUnread !== undefined) return [{ subject, state: 'unknown', says: `could not be read: ${idsUnread}` }];
  const findings = [...ids.map(bindingFinding), ...budgets.map(budgetFinding)];
  if (findings.length > 0) return findings;
  return [{ subject, state: 'ok', says: 'no run is configured, and no campaign has a budget' }];
}

function bindingFinding(ids: IdsLeft): JudgedFinding {
  const { run, left, isLow, lastsUntil } = ids;
  const found = {
    subject: `${run}'s ids`,
    says: idsWords(ids),
    moments: lastsUntil === undefined ? [] : [{ says: 'enough until', at: lastsUntil }],
  };
  if (!isLow) return { ...found, state: 'ok' };
  return {
    ...found,
    state: left === 0 ? 'problem' : 'warning',
    next: {
      says: 'Create runs at the gateway (examples/fill-pool.mjs does), then add their ids.',
      command: ['autopilot', 'bind', run, 'UUID…'],
    },
  };
}

function budgetFinding({ campaign, month, used, startsPerMonth }: Supplies['budgets'][number]): JudgedFinding {
  const left = startsPerMonth - used;
  const found = { subject: `${campaign}'s budget`, says: `${used} of ${startsPerMonth} starts of ${month} are used` };
  const next = {
    says: 'Raise startsPerMonth and deploy; one start more:',
    command: ['autopilot', 'send', 'start', 'RUN', '--override', 'budget', '--reason', 'WHY'],
  };
  if (left <= 0)
    return { ...found, state: 'problem', says: `${found.says}: every further one is skipped (BUDGET)`, next };
  return left < lowStarts && used > 0 ? { ...found, state: 'warning', next } : { ...found, state: 'ok' };
}
