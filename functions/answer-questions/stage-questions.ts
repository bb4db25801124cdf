import { ConfigMissingError, readCampaignConfig, type ReadConfig, readConfig } from '#shared/changes/read-config.ts';
import { shortLine } from '#shared/changes/words.ts';
import type { ResolvedRun } from '#shared/config/resolve/resolved-automation.ts';
import type { GatewayClient } from '#shared/gateway-client/index.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { IdRow } from '#shared/ledger/rows/run-row.ts';
import { type ConfigAtAnswer, configAtQuestion } from '#shared/messages/questions.ts';
import { askedRead, type AskedReadDeps } from '../_gateway/gateway-calls.ts';
import type { RunsConfig } from '../_runs/decide/state.ts';
import { runNamed, runOfId } from '../_runs/decide/rows.ts';

/** What the answer needs of the world: reads. */
export interface ConfigAtDeps extends AskedReadDeps {
  readonly config: Pick<RunsConfig, 'runs'>;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly gateway: Pick<GatewayClient, 'getProject' | 'getCampaign'>;
}

/**
 * Answers how the project or the campaign of a run was configured at an instant
 * (`autopilot evidence`), as the gateway tells it.
 * @throws Error for what is no such question, and the ledger's errors
 */
export async function answerConfigAt(event: unknown, deps: ConfigAtDeps): Promise<ConfigAtAnswer> {
  const { of, run: asked, at: configAt } = configAtQuestion.parse(event);
  const run = 'run' in asked ? runNamed(asked.run, deps.config) : await runUsing(asked.campaignRunId, deps);
  if (run === undefined) return { kind: 'not-configured', why: `no run is configured as ${Object.values(asked)[0]}` };
  const { campaign, campaignId, project } = run;
  const { gateway } = deps;
  if (of === 'project') {
    if (project === undefined) return { kind: 'not-configured', why: `the campaign ${campaign} names no project` };
    return answerOf(async () => (await gateway.getProject({ project, configAt })).project, readConfig, deps);
  }
  if (campaignId === undefined) return { kind: 'not-configured', why: `the campaign ${campaign} has no campaignId` };
  return answerOf(async () => (await gateway.getCampaign({ campaignId, configAt })).campaign, readCampaignConfig, deps);
}

/** The run that lists an id, or that has used it. */
async function runUsing(id: string, { config, ledger }: ConfigAtDeps): Promise<ResolvedRun | undefined> {
  return runOfId(id, config) ?? runNamed((await ledger.read<IdRow>(ledgerKeys.runId(id)))?.run, config);
}

/** What both of them are. */
interface Configured {
  readonly id: string;
  readonly name?: unknown;
  readonly createdAt?: unknown;
}

async function answerOf<Of extends Configured>(
  read: () => Promise<Of>,
  fieldsOf: (of: Of) => ReadConfig,
  deps: AskedReadDeps,
): Promise<ConfigAtAnswer> {
  const asked = await askedRead(read, deps);
  if (!asked.ok) return { kind: 'unread', why: asked.why, httpStatus: asked.error?.status };
  const { id, name, createdAt } = asked.answer;
  try {
    const { fingerprints, words } = fieldsOf(asked.answer);
    return {
      kind: 'read',
      id: shortLine(id),
      name: typeof name === 'string' ? shortLine(name) : undefined,
      createdAt: typeof createdAt === 'string' ? createdAt : undefined,
      fingerprints,
      words: Object.fromEntries(words),
    };
  } catch (error) {
    if (!(error instanceof ConfigMissingError)) throw error;
    return { kind: 'unread', why: error.message };
  }
}
