import type { SuppliesAnswer } from '#shared/messages/supplies.ts';
import type { Finding } from './finding.ts';

/** Fewer starts than this are told: a month's end is near, or the budget is. */
const lowStarts = 3;

/** Run ids and starts of the month that are used up, or soon will be. Pure. */
export function supplyFindings({ bindings, budgets }: SuppliesAnswer): readonly Finding[] {
  return [...bindings.map(bindingFinding), ...budgets.map(budgetFinding)];
}

function bindingFinding({ run, left, isLow }: SuppliesAnswer['bindings'][number]): Finding {
  const subject = `ids of ${run}`;
  if (!isLow) return { subject, state: 'ok', says: `${left} left` };
  const next = `create runs at the gateway, then autopilot bind ${run} ID…`;
  return left === 0
    ? { subject, state: 'problem', says: 'none is left: its next start is parked (NO_RUN_LEFT)', next }
    : { subject, state: 'warning', says: `only ${left} left, one for each start`, next };
}

function budgetFinding({ campaign, month, used, startsPerMonth }: SuppliesAnswer['budgets'][number]): Finding {
  const subject = `budget of ${campaign}`;
  const left = startsPerMonth - used;
  const says = `${used} of ${startsPerMonth} starts of ${month} are used`;
  const next = 'raise startsPerMonth and deploy, or autopilot send start RUN --override budget --reason WHY';
  if (left <= 0) return { subject, state: 'problem', says: `${says}: every further one is skipped (BUDGET)`, next };
  return left < lowStarts && used > 0 ? { subject, state: 'warning', says, next } : { subject, state: 'ok', says };
}
