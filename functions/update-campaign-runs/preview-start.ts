import { judgeStart } from '../../shared/guards/judge.ts';
import type { Judgement, StartQuestion } from '../../shared/guards/start-question.ts';
import { monthOf, startsUsed } from '../../shared/guards/month-budget.ts';
import { switchesOf } from '../../shared/ledger/switches.ts';
import type { Previewed } from '../../shared/messages/preview.ts';
import type { ComingCommand } from './coming.ts';
import type { Outlook } from './preview-outlook.ts';
import { beginRun, deferRun, endRun, type PreviewedStart, type PreviewRows, showRun } from './preview-rows.ts';
import { ended, patch, type Step } from './preview-step.ts';
import { isNewer } from './run-rows.ts';
import { startInput } from './start-input.ts';
import { chooseId } from './find-start.ts';
import { startTimes } from './start-times.ts';

/** A start at its instant; without an id where every id of its run has been used by then. */
type JudgedStart = Omit<PreviewedStart, 'campaignRunId'> & Partial<Pick<PreviewedStart, 'campaignRunId'>>;

/** By the guards of the worker, about the rows as the commands before left them. */
export function previewStart(coming: ComingCommand, rows: PreviewRows, outlook: Outlook): Step {
  const { command, atMs } = coming;
  const policy = outlook.policyOf(command);
  if (typeof policy === 'string') return ended(coming, { outcome: 'parked', reason: 'CONFIG', detail: policy });
  const { run } = policy;
  const binding = run === undefined ? undefined : rows.bindings.get(run.name);
  const id = chooseId(command, policy, binding);
  if (command.run !== undefined && id?.isNew !== false && isNewer(binding?.newestStop, command)) {
    return ended(coming, {
      outcome: 'superseded',
      detail: `a newer stop of ${command.run} (${binding?.newestStop?.id}) comes first`,
    });
  }
  const { timezone } = outlook.config;
  const now = new Date(atMs);
  const begun = { command, policy, times: startTimes(command, policy, now), timezone, now };
  if (id === undefined) return judged(coming, begun, rows, outlook);
  const { campaignRunId, left } = id;
  const isListed = run?.pool.kind === 'list';
  return judged(coming, { ...begun, campaignRunId, ...(isListed ? { idsLeft: left } : {}) }, rows, outlook);
}

function judged(coming: ComingCommand, begun: JudgedStart, rows: PreviewRows, outlook: Outlook): Step {
  const { command, deferredUntil } = coming;
  const { policy, campaignRunId } = begun;
  const guard = rows.guards.get(policy.guards.target);
  const name = policy.run?.name ?? campaignRunId ?? '';
  const newest = guard?.deferred?.[name];
  if (deferredUntil !== undefined && isNewer(newest, command)) {
    const detail = `a newer start of this run (${newest?.id}) was put off by a blackout as well`;
    return ended(coming, { outcome: 'superseded', detail });
  }
  const judgement = judgeAhead(coming, begun, rows, outlook);
  const verdicts = [...judgement.verdicts];
  switch (judgement.kind) {
    case 'skip':
      return ended(coming, { verdicts, outcome: 'skipped', reason: judgement.reason, detail: judgement.detail });
    case 'defer': {
      const { until, detail } = judgement;
      deferRun(begun, name, rows);
      return {
        ...ended(coming, { verdicts, outcome: 'deferred', until, detail }),
        follows: { atMs: Date.parse(until), command, deferredUntil: until },
      };
    }
    case 'apply': {
      if (campaignRunId !== undefined) {
        return applied(
          coming,
          { begun: { ...begun, campaignRunId }, verdicts, stopFirst: judgement.stopFirst },
          rows,
          outlook,
        );
      }
      const detail = `every id bound to ${policy.run?.name} has been used by then`;
      return ended(coming, { verdicts, outcome: 'parked', reason: 'NO_RUN_LEFT', detail, idsLeft: 0 });
    }
  }
}

/** As the worker asks: a campaign is read at the gateway for a start that nothing else is against. */
function judgeAhead(
  { command, deferredUntil }: ComingCommand,
  { policy, campaignRunId, times, timezone, now }: JudgedStart,
  { guards, campaigns }: PreviewRows,
  { switches, config }: Outlook,
): Judgement {
  const concerned = switchesOf({ origin: command.origin, campaign: policy.campaign });
  const question: StartQuestion = {
    command,
    deferredUntil,
    policy,
    campaignRunId,
    guard: guards.get(policy.guards.target),
    switches: switches.filter((one) => concerned.some((of) => of.scope === one.scope && of.name === one.name)),
    blackouts: config.blackouts,
    timezone,
    now,
    effectAt: new Date(times.effectAt),
  };
  const first = judgeStart(question);
  const campaign = campaigns.get(policy.campaign ?? '');
  return first.kind !== 'apply' || campaign === undefined ? first : judgeStart({ ...question, campaign });
}

function applied(
  coming: ComingCommand,
  {
    begun,
    verdicts,
    stopFirst,
  }: {
    readonly begun: PreviewedStart;
    readonly verdicts: Previewed['verdicts'];
    readonly stopFirst: readonly { readonly campaignRunId: string }[];
  },
  rows: PreviewRows,
  { config }: Outlook,
): Step {
  const { command, policy, campaignRunId, times, idsLeft } = begun;
  for (const previous of stopFirst) endRun(previous.campaignRunId, rows);
  beginRun(begun, rows);
  if (config.mode === 'act') showRun(begun, rows);
  const { campaignRunId: _id, ...body } = startInput(begun, times, config);
  const { stop } = config.gateway.status;
  const { stopDueAt } = times;
  const step = ended(coming, {
    outcome: 'applied',
    verdicts,
    requests: [...stopFirst.map((one) => patch(one.campaignRunId, { status: stop })), patch(campaignRunId, body)],
    ...(stopDueAt === undefined ? {} : { stopDueAt }),
    ...(idsLeft === undefined ? {} : { idsLeft }),
    ...startsLeft(begun, rows),
  });
  if (stopDueAt === undefined) return step;
  const due = { campaignRunId, commandId: command.id, status: stop };
  const { run } = policy;
  return {
    ...step,
    follows: { atMs: Date.parse(stopDueAt), due: run === undefined ? due : { ...due, run: run.name } },
  };
}

function startsLeft({ policy, times, timezone }: PreviewedStart, rows: PreviewRows): Pick<Previewed, 'startsLeft'> {
  const { campaign, guards } = policy;
  if (campaign === undefined || guards.startsPerMonth === undefined) return {};
  const month = monthOf(new Date(times.effectAt), timezone);
  return { startsLeft: guards.startsPerMonth - startsUsed(rows.guards.get(guards.target), { month, campaign }) };
}
