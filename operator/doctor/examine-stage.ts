import { type VersionStanding, versionStanding } from '../stage/ask-stage.ts';
import { idFindings } from '../runs/odd-ids.ts';
import { examineLinks } from './deep/notice-findings.ts';
import { type Finding, lookedAt } from '../finding.ts';
import { type IdsLeft, idsWords, readSupplies, type Supplies } from '../plan/ids-left.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { readStage } from '../status/stage-status.ts';
import { tryToken } from '../token/promote-token.ts';
import { functionFindings, mappingFindings, outsideFindings } from './function-findings.ts';
import { diskFinding } from './disk-finding.ts';
import { deployedFunctions, deployedSchedules } from './stage-parts.ts';
import { statusFindings } from './status-findings.ts';
import { findAll } from '#shared/aws/schedules.ts';
import type { TopicSubscription } from '../aws/topic-subscriptions.ts';

/** What was found about one side of a stage. */
export interface Examined {
  readonly title: string;
  readonly findings: readonly Finding[];
}

/**
 * Looks at everything at once. A part that cannot be looked at is a finding; the others are
 * reported all the same.
 * @param how.isDeep - sends marks through its links too, which takes minutes
 * @throws if there is no such stage, or nothing answers at all
 */
export async function examineStage(
  deps: OperatorDeps,
  { isDeep = false }: { readonly isDeep?: boolean } = {},
): Promise<readonly Examined[]> {
  await deps.stage.outputs();
  const parts: Readonly<Record<string, (deps: OperatorDeps) => Promise<readonly Finding[]>>> = {
    Gateway: gatewayPart,
    Functions: functionsPart,
    Work: workPart,
    Supplies: suppliesPart,
    Alarms: async ({ stage, target }) => alarmFindings(await stage.alarmSubscriptions(), target),
    ...machinePart(deps),
    ...(isDeep ? { Links: async () => examineLinks(deps) } : {}),
  };
  return Promise.all(
    Object.entries(parts).map(async ([title, look]) => ({
      title,
      findings: await lookedAt('all of it', async () => look(deps), deps.target),
    })),
  );
}

function versionFinding({ stage, isSame, says = '' }: VersionStanding): Finding {
  const subject = 'version';
  return isSame ? { subject, state: 'ok', says: `${stage}, as this command` } : { subject, state: 'warning', says };
}

/** A stage in AWS has no machine of its own. */
function machinePart({ target }: OperatorDeps): Readonly<Record<string, () => Promise<readonly Finding[]>>> {
  return target.kind === 'local' ? { Machine: async () => [diskFinding(target.folder)] } : {};
}

/** Operations that are allowed, or cannot be tried, are for `token check`. */
async function gatewayPart(deps: OperatorDeps): Promise<readonly Finding[]> {
  const { token, gateway, operations } = await tryToken(undefined, deps);
  const wrong = operations.filter(({ state }) => state === 'problem' || state === 'warning');
  return [token, gateway, ...wrong];
}

async function functionsPart(deps: OperatorDeps): Promise<readonly Finding[]> {
  const [resources, outputs] = await Promise.all([deps.stage.resources(), deps.stage.outputs()]);
  const functions = deployedFunctions(resources);
  const [answers, mappings] = await Promise.all([functionFindings(functions, deps), mappingFindings(functions, deps)]);
  return [versionFinding(versionStanding(outputs)), ...answers, ...mappings];
}

async function workPart(deps: OperatorDeps): Promise<readonly Finding[]> {
  // Its own part asks for the supplies.
  const [{ status }, resources, outside] = await Promise.all([
    readStage(deps, async () => undefined),
    deps.stage.resources(),
    outsideFindings(deps),
  ]);
  return [...statusFindings(status, deployedSchedules(resources)), ...outside];
}

async function suppliesPart(deps: OperatorDeps): Promise<readonly Finding[]> {
  const [schedules, now] = await Promise.all([deps.stage.schedules().then(findAll), deps.now()]);
  const supplies = await readSupplies(schedules, now, deps);
  const findings = [...supplyFindings(supplies), ...(await idFindings(supplies.runReadings, deps))];
  if (findings.length > 0) return findings;
  return [{ subject: 'supplies', state: 'ok', says: 'no run is configured, and no campaign has a budget' }];
}

/** Who hears of alarms. Pure. */
function alarmFindings(
  subscriptions: readonly TopicSubscription[],
  target: Pick<OperatorDeps['target'], 'kind'>,
): readonly Finding[] {
  const subject = 'alarms';
  const endpoints = subscriptions.map(({ endpoint }) => endpoint).join(', ');
  if (target.kind === 'local') {
    const says = `no message leaves this machine${endpoints === '' ? '' : `; deployed, they go to ${endpoints}`}`;
    return [{ subject, state: 'unknown', says }];
  }
  if (subscriptions.length === 0) {
    return [
      {
        subject,
        state: 'warning',
        says: 'they reach no person',
        next: "notify: { emails: ['…'] } in automation.config.ts and deploy",
      },
    ];
  }
  const waiting = subscriptions.filter(({ isConfirmed }) => !isConfirmed);
  if (waiting.length === 0) return [{ subject, state: 'ok', says: `go to ${endpoints}` }];
  return waiting.map(({ endpoint }) => ({
    subject,
    state: 'problem',
    says: `${endpoint} has not confirmed, and hears nothing`,
    next: 'confirm in the mail "AWS Notification - Subscription Confirmation", which is good for two days; then subscribe the address to the topic again',
  }));
}

/** Fewer starts than this are reported: a month's end is near, or the budget is. */
const lowStarts = 3;

/** Run ids and starts of the month that are used up, or soon will be. Pure. */
function supplyFindings({ bindings, budgets }: Supplies): readonly Finding[] {
  return [...bindings.map(bindingFinding), ...budgets.map(budgetFinding)];
}

function bindingFinding(ids: IdsLeft): Finding {
  const { run, left, isLow } = ids;
  const subject = `ids of ${run}`;
  if (!isLow) return { subject, state: 'ok', says: idsWords(ids) };
  const next = `create runs at the gateway (examples/fill-pool.mjs does), then autopilot bind ${run} ID…`;
  return { subject, state: left === 0 ? 'problem' : 'warning', says: idsWords(ids), next };
}

function budgetFinding({ campaign, month, used, startsPerMonth }: Supplies['budgets'][number]): Finding {
  const subject = `budget of ${campaign}`;
  const left = startsPerMonth - used;
  const says = `${used} of ${startsPerMonth} starts of ${month} are used`;
  const next = 'raise startsPerMonth and deploy, or autopilot send start RUN --override budget --reason WHY';
  if (left <= 0) return { subject, state: 'problem', says: `${says}: every further one is skipped (BUDGET)`, next };
  return left < lowStarts && used > 0 ? { subject, state: 'warning', says, next } : { subject, state: 'ok', says };
}
