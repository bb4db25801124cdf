import type { RecordedVerdict } from '../ledger/items.ts';
import type { CampaignRunCommand } from '../messages/campaign-run-command.ts';
import { type GuardName, guardNames } from '../vocabulary/guard-names.ts';
import { judgeBlackout, judgeFrozen, judgePaused, judgeValidity } from './guards-of-time.ts';
import { judgeBudget, judgeGap, judgeOverlap } from './guards-of-campaign.ts';
import type { Defer, GuardAnswer, Judgement, Skip, StartQuestion } from './start-question.ts';

/** What each guard looks at. Those of the campaign are judged at the instant of effect; where a blackout puts the start off, at its end. */
const guards: Readonly<Record<GuardName, (question: StartQuestion) => GuardAnswer>> = {
  frozen: judgeFrozen,
  paused: judgePaused,
  validity: judgeValidity,
  blackout: judgeBlackout,
  overlap: judgeOverlap,
  gap: judgeGap,
  budget: judgeBudget,
};

/**
 * Decides about a start, whoever asks for it: the first guard that says no gives the reason, and the verdict of each is told. Pure; stops and
 * updates are never asked about.
 * @example judgeStart({ command, policy, guard, switches, blackouts, timezone, campaign, now, effectAt }).kind // 'apply'
 */
export function judgeStart(question: StartQuestion): Judgement {
  const verdicts: RecordedVerdict[] = [];
  let asked = question;
  let no: Skip | Defer | undefined;
  let judgement: Judgement = { kind: 'apply', stopFirst: [], verdicts };

  for (const guard of guardNames) {
    if (guard === 'gap' && asked.policy.guards.minimumGap !== undefined && asked.campaign === undefined) continue;
    const answer = guards[guard](asked);
    const isOverridden = isOverriddenBy(question.command, guard);
    verdicts.push(verdictOf(guard, answer, isOverridden));
    if (answer === undefined || isOverridden) continue;
    if (answer.kind === 'stop-first') {
      judgement = { kind: 'apply', stopFirst: answer.runs, verdicts };
      continue;
    }
    no ??= answer;
    if (answer.kind === 'defer') asked = { ...asked, effectAt: new Date(answer.until) };
  }
  return no === undefined ? judgement : { ...no, verdicts };
}

/** Whether an operator said that the no of this guard does not count. */
export function isOverriddenBy({ override }: Pick<CampaignRunCommand, 'override'>, guard: GuardName): boolean {
  return override?.guards.includes(guard) === true;
}

function verdictOf(guard: GuardName, answer: GuardAnswer, isOverridden: boolean): RecordedVerdict {
  if (answer === undefined) return { guard, verdict: 'apply' };
  const { kind, detail } = answer;
  if (isOverridden) return { guard, verdict: 'overridden', detail };
  return { guard, verdict: kind === 'stop-first' ? 'apply' : kind, detail };
}
