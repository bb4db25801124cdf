import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { diskProblem, freeBytes } from '#shared/state-folder/disk-problem.ts';
import { type VersionStanding, versionStanding } from '../stage/ask-stage.ts';
import { idFindings } from '../runs/odd-ids.ts';
import { examineLinks } from './link-findings.ts';
import { type Finding, type JudgedFinding, lookedAt, withCauses, judged } from '../finding.ts';
import { judgedFindings } from '../needs/needs.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { readStageStatus } from '../needs/read-stage-status.ts';
import { tryToken } from '../token/promote-token.ts';
import { functionFindings, mappingFindings, outsideFindings } from './function-findings.ts';
import { deployedFunctions, deployedSchedules } from './stage-parts.ts';
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
 * @param how.isNoticed - sends people a test notice
 * @throws if there is no such stage, or nothing answers at all
 */
export async function examineStage(
  deps: OperatorDeps,
  { isDeep = false, isNoticed = false }: { readonly isDeep?: boolean; readonly isNoticed?: boolean } = {},
): Promise<readonly Examined[]> {
  await deps.stage.outputs();
  const deep = ['schedule', 'object', 'command'] as const;
  const marks = [...(isDeep ? deep : []), ...(isNoticed ? (['notice'] as const) : [])];
  const parts: Readonly<Record<string, (deps: OperatorDeps) => Promise<readonly JudgedFinding[]>>> = {
    Gateway: gatewayPart,
    Functions: functionsPart,
    Work: workPart,
    Alarms: async ({ stage, target }) => alarmFindings(await stage.alarmSubscriptions(), target),
    ...machinePart(deps),
    ...(marks.length > 0 ? { Links: async () => examineLinks(marks, deps) } : {}),
  };
  const looked = await Promise.all(
    Object.entries(parts).map(async ([title, look]) => ({
      title,
      findings: await lookedAt(`all of ${title.toLowerCase()}`, async () => look(deps), deps.target),
    })),
  );
  // The cause of one part may be in another.
  const whole = withCauses(looked.flatMap(({ findings }) => findings));
  let shown = 0;
  return looked.map(({ title, findings: { length } }) => ({ title, findings: whole.slice(shown, (shown += length)) }));
}

function versionFinding({ stage, says }: VersionStanding): Finding {
  return says === undefined ? judged.ok('version', `${stage}, as this command`) : judged.warning('version', says);
}

/** A stage in AWS has no machine of its own. */
function machinePart({ target }: OperatorDeps): Readonly<Record<string, () => Promise<readonly Finding[]>>> {
  return target.kind === 'local' ? { Machine: async () => [diskFinding(target.folder)] } : {};
}

/** Operations that are allowed, or cannot be tried, are for `token check`. */
async function gatewayPart(deps: OperatorDeps): Promise<readonly JudgedFinding[]> {
  const { token, gateway, operations } = await tryToken(undefined, deps);
  const wrong = operations.filter(({ state }) => state === 'problem' || state === 'warning');
  return [token, gateway, ...wrong];
}

async function functionsPart(deps: OperatorDeps): Promise<readonly JudgedFinding[]> {
  const [resources, outputs] = await Promise.all([deps.stage.resources(), deps.stage.outputs()]);
  const functions = deployedFunctions(resources);
  const [answers, mappings] = await Promise.all([functionFindings(functions, deps), mappingFindings(functions, deps)]);
  return [versionFinding(versionStanding(outputs)), ...answers, ...mappings];
}

async function workPart(deps: OperatorDeps): Promise<readonly JudgedFinding[]> {
  const [status, resources, outside] = await Promise.all([
    readStageStatus(deps),
    deps.stage.resources(),
    outsideFindings(deps),
  ]);
  const ids = await idFindings(status.runReadings, deps);
  return [...judgedFindings(status, deployedSchedules(resources)), ...ids, ...outside];
}

function alarmFindings(
  subscriptions: readonly TopicSubscription[],
  target: Pick<OperatorDeps['target'], 'kind'>,
): readonly Finding[] {
  const subject = 'alarms';
  const endpoints = subscriptions.map(({ endpoint }) => endpoint).join(', ');
  if (target.kind === 'local') {
    const says = `no message leaves this machine${endpoints === '' ? '' : `; deployed, they go to ${endpoints}`}`;
    return [judged.unknown(subject, says)];
  }
  if (subscriptions.length === 0) {
    const next = { says: "Set notify: { emails: ['…'] } in automation.config.ts and deploy." };
    return [judged.warning(subject, 'no address is subscribed: they reach no inbox', { next })];
  }
  const waiting = subscriptions.filter(({ isConfirmed }) => !isConfirmed);
  if (waiting.length === 0) return [judged.ok(subject, `go to ${endpoints}`)];
  const next = {
    says: 'Confirm in the mail "AWS Notification - Subscription Confirmation", which is good for two days. Later, subscribe the address to the topic again.',
  };
  return waiting.map(({ endpoint }) =>
    judged.problem(subject, `${endpoint} has not confirmed, and hears nothing`, { next }),
  );
}

/** The folders of the state that hold files, from that of the stage. */
const folders = ['', 'aws', join('aws', 'dynamodb'), 'logs'];

/** A night of uploads fits into this. */
const enoughBytes = 500_000_000;

/** Says whether a stage on this machine can go on writing its state. */
export function diskFinding(folder: string): Finding {
  const subject = 'disk';
  const present = folders.map((name) => join(folder, name)).filter((path) => existsSync(path));
  if (present.length === 0) return judged.unknown(subject, `${folder} cannot be looked at`);
  const [problem] = present.flatMap((path) => diskProblem(path) ?? []);
  if (problem !== undefined) return judged.problem(subject, problem);
  const bytes = freeBytes(folder);
  if (bytes >= enoughBytes) return judged.ok(subject, `${(bytes / 1e9).toFixed(1)} GB are free for ${folder}`);
  const says = `only ${Math.floor(bytes / 1e6)} MB are free for ${folder}`;
  return judged.warning(subject, says, { next: { says: 'Make room.' } });
}
