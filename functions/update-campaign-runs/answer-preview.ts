import { type CampaignReading, readingOf } from '../../shared/ledger/campaign-reading.ts';
import { type BindingItem, type GuardItem, type LedgerItem, ledgerKeys } from '../../shared/ledger/items.ts';
import type { Ledger } from '../../shared/ledger/ledger.ts';
import { listOpenOfKind } from '../../shared/ledger/open-rows.ts';
import { listSwitches } from '../../shared/ledger/switches.ts';
import { type CampaignRunCommand, checkCampaignRunCommand } from '../../shared/messages/campaign-run-command.ts';
import { type PreviewAnswer, previewQuestion } from '../../shared/messages/preview.ts';
import { askedRead } from './asked-read.ts';
import type { UpdateDeps } from './deps.ts';
import { previewCommands } from './preview.ts';
import { findStartPolicy, type RunPolicy } from './run-policy.ts';

/** What a preview needs of the world: reads. */
export interface PreviewDeps extends Pick<UpdateDeps, 'gate' | 'rateLimiter' | 'config' | 'callBudgetMs'> {
  readonly ledger: Pick<Ledger, 'read' | 'listOpen'>;
  readonly gateway: Pick<UpdateDeps['gateway'], 'getCampaign'>;
  readonly now: () => Date;
  readonly remainingMs: () => number;
}

/**
 * Answers what this worker would do with commands to come (`autopilot plan`), by what is deployed, the ledger and the campaigns as the gateway
 * tells them.
 * @throws Error for what is no such question, and whatever the ledger throws
 */
export async function answerPreview(event: unknown, deps: PreviewDeps): Promise<PreviewAnswer> {
  const question = previewQuestion.parse(event);
  const commands = question.commands.map((input) => checkedCommand(input));
  const deferred = await listOpenOfKind(deps.ledger, 'DEFERRED', 'command');
  const policies = await findPolicies([...commands, ...deferred.map(({ command }) => command)], deps);
  const known = [...policies.values()].filter((policy) => typeof policy !== 'string');
  const [guards, bindings, runsInFlight, switches, { campaigns, unread }] = await Promise.all([
    readRows<GuardItem>(
      deps.ledger,
      new Map(known.map(({ guards: { target } }) => [target, ledgerKeys.guard(target)])),
    ),
    readRows<BindingItem>(deps.ledger, bindingKeys(commands, known)),
    listOpenOfKind(deps.ledger, 'RUN_IN_FLIGHT', 'run'),
    listSwitches(deps.ledger),
    readCampaigns(known, deps),
  ]);
  const outlook = {
    config: deps.config,
    guards,
    bindings,
    runsInFlight,
    deferred,
    campaigns,
    switches,
    policyOf: ({ id }: CampaignRunCommand) => policies.get(id) ?? 'no such command',
  };
  return {
    now: deps.now().toISOString(),
    mode: deps.config.mode,
    commands: [...previewCommands(commands, outlook, new Date(question.until))],
    unread: [...unread],
  };
}

/** Its instant is to come: that alone would make it a bad message. */
function checkedCommand(input: unknown): CampaignRunCommand {
  const issuedAt = typeof input === 'object' && input !== null && 'issuedAt' in input ? String(input.issuedAt) : '';
  const checked = checkCampaignRunCommand(input, new Date(issuedAt));
  if (!checked.ok) throw new Error(`a command of the preview is none: ${checked.problems.join('; ')}`);
  if (checked.command.action === 'update') throw new Error('only starts and stops are previewed');
  return checked.command;
}

async function findPolicies(
  commands: readonly CampaignRunCommand[],
  { config, ledger }: PreviewDeps,
): Promise<ReadonlyMap<string, RunPolicy | string>> {
  const starts = commands.filter(({ action }) => action === 'start');
  const found = new Map<string, RunPolicy | string>();
  for (const command of starts) {
    const policy = await findStartPolicy(command, config, ledger);
    found.set(command.id, policy.ok ? policy.policy : policy.detail);
  }
  return found;
}

function bindingKeys(
  commands: readonly CampaignRunCommand[],
  policies: readonly RunPolicy[],
): ReadonlyMap<string, string> {
  const names = [...commands.map(({ run }) => run), ...policies.map(({ run }) => run?.name)];
  return new Map(names.filter((name) => name !== undefined).map((name) => [name, ledgerKeys.binding(name)]));
}

/** Rows by name; those that nobody has written yet are left out. */
async function readRows<Item extends LedgerItem>(
  ledger: PreviewDeps['ledger'],
  keys: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Item>> {
  const rows = new Map<string, Item>();
  for (const [name, pk] of keys) {
    const row = await ledger.read<Item>(pk);
    if (row !== undefined) rows.set(name, row);
  }
  return rows;
}

/** `GET campaign` of those that have a minimum gap, as far as gate, rate and time allow. One that is not read is named. */
async function readCampaigns(policies: readonly RunPolicy[], deps: PreviewDeps) {
  const campaigns = new Map<string, CampaignReading>();
  const unread: PreviewAnswer['unread'] = [];
  const wanted = new Map(
    policies.flatMap(({ run, campaignId }) =>
      run?.guards.minimumGap === undefined || campaignId === undefined ? [] : [[run.campaign, campaignId] as const],
    ),
  );
  for (const [campaign, campaignId] of wanted) {
    const read = await askedRead(() => deps.gateway.getCampaign({ campaignId }), deps);
    if (read.ok) campaigns.set(campaign, readingOf(read.answer.campaign));
    else unread.push({ campaign, why: read.why });
  }
  return { campaigns, unread };
}
