import { durationMs } from '../../schedule/duration.ts';
import type { AutomationDocument } from '../automation.ts';
import { type ConfigProblem, formatPath } from '../config-problem.ts';
import type { ResolvedAutomation } from '../resolve/resolved-automation.ts';

/** The time that reading a start back and sending it again takes, with clocks that differ. */
const readBackMs = 15 * 60_000;

/** Settings whose absence makes a person necessary if the answer of a start or a stop is lost. */
export function doubtWarnings(document: AutomationDocument, automation: ResolvedAutomation): ConfigProblem[] {
  return [...withoutTexts(document), ...withoutConfirm(document), ...shortValidity(automation)];
}

/** An empty list says that this gateway has no such text. */
function withoutTexts({ gateway }: AutomationDocument): ConfigProblem[] {
  if (gateway.alreadyInState !== undefined) return [];
  const message =
    'is not set, so a run that already is as a repeated command wants it is parked CONFLICT: write the texts of such a 409 or 422, or [] if this gateway has none.';
  return [{ path: formatPath(['gateway', 'alreadyInState']), message }];
}

/** A gateway that ignores a repeated start needs no reading back. */
function withoutConfirm({ gateway, campaigns }: AutomationDocument): ConfigProblem[] {
  if (gateway.startsRepeatSafely === true) return [];
  return Object.entries(campaigns).flatMap(([name, { campaignId, confirm, runs }]) => {
    if (confirm !== undefined || Object.keys(runs).length === 0) return [];
    const remedy = campaignId === undefined ? 'set campaignId and confirm' : 'set it';
    const message = `is not set, so a start whose answer is lost is parked for a person: ${remedy} to the field ("runCount" or "lastRunAt") that this gateway changes at a start.`;
    return [{ path: formatPath(['campaigns', name, 'confirm']), message }];
  });
}

function shortValidity({ schedules }: ResolvedAutomation): ConfigProblem[] {
  return schedules.flatMap(({ action, enabled, validFor, startDelay = 'PT0S' }, index) => {
    const needsMs = (durationMs(startDelay) ?? 0) + readBackMs;
    if (action !== 'start' || !enabled || (durationMs(validFor ?? '') ?? needsMs) >= needsMs) return [];
    const message = `${validFor} is too short to read a start back whose answer is lost, so it is parked for a person: write at least ${needsMs / 60_000} minutes (startDelay and 15 minutes).`;
    return [{ path: formatPath(['schedules', index, 'validFor']), message }];
  });
}
