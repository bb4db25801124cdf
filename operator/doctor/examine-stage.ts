import { suppliesAnswer, suppliesQuestion } from '#shared/messages/supplies.ts';
import { askStage } from '../stage/ask-stage.ts';
import { failureOf } from '../errors.ts';
import type { Finding } from './finding.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { listRunsInFlight } from '../runs/runs-in-flight.ts';
import { readStageStatus } from '../status/stage-status.ts';
import { tryToken } from '../token/promote-token.ts';
import { alarmFindings } from './alarm-findings.ts';
import { functionFindings } from './function-findings.ts';
import { mappingFindings } from './mapping-findings.ts';
import { deployedFunctions, deployedSchedules } from './stage-parts.ts';
import { statusFindings } from './status-findings.ts';
import { supplyFindings } from './supply-findings.ts';

/** What was found about one side of a stage. */
export interface Examined {
  readonly title: string;
  readonly findings: readonly Finding[];
}

/**
 * Looks at everything at once. A part that cannot be looked at is a finding; the others are told all the same.
 * @throws where there is no such stage, or nothing answers at all
 */
export async function examineStage(deps: OperatorDeps): Promise<readonly Examined[]> {
  await deps.stage.outputs();
  const parts: Readonly<Record<string, (deps: OperatorDeps) => Promise<readonly Finding[]>>> = {
    Gateway: gatewayPart,
    Functions: functionsPart,
    Work: workPart,
    Supplies: suppliesPart,
    Alarms: async ({ stage, target }) => alarmFindings(await stage.alarmSubscriptions(), target),
  };
  return Promise.all(
    Object.entries(parts).map(async ([title, look]) => ({ title, findings: await looked(look, deps) })),
  );
}

async function looked(
  look: (deps: OperatorDeps) => Promise<readonly Finding[]>,
  deps: OperatorDeps,
): Promise<readonly Finding[]> {
  try {
    return await look(deps);
  } catch (error) {
    const { message } = failureOf(error, deps.target);
    return [{ subject: 'all of it', state: 'problem', says: `could not be looked at: ${message}` }];
  }
}

/** Operations that are allowed, or cannot be tried, are for `token check`. */
async function gatewayPart(deps: OperatorDeps): Promise<readonly Finding[]> {
  const { token, gateway, operations } = await tryToken(undefined, deps);
  const wrong = operations.filter(({ state }) => state === 'problem' || state === 'warning');
  return [token, gateway, ...wrong];
}

async function functionsPart(deps: OperatorDeps): Promise<readonly Finding[]> {
  const functions = deployedFunctions(await deps.stage.resources());
  const [answers, mappings] = await Promise.all([functionFindings(functions, deps), mappingFindings(functions, deps)]);
  return [...answers, ...mappings];
}

async function workPart(deps: OperatorDeps): Promise<readonly Finding[]> {
  const now = await deps.now();
  const [status, runsInFlight, resources] = await Promise.all([
    readStageStatus(deps),
    deps.stage.ledger().then(async (ledger) => listRunsInFlight(ledger, now)),
    deps.stage.resources(),
  ]);
  return statusFindings(status, { scheduled: deployedSchedules(resources), runsInFlight });
}

async function suppliesPart(deps: OperatorDeps): Promise<readonly Finding[]> {
  const findings = supplyFindings(await askStage(suppliesQuestion, suppliesAnswer, deps));
  if (findings.length > 0) return findings;
  return [{ subject: 'supplies', state: 'ok', says: 'no run uses ids up, and no campaign has a budget' }];
}
