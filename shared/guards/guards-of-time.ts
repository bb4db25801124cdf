import type { SwitchItem } from '../ledger/items.ts';
import { coveringBlackout } from '../schedule/blackouts.ts';
import type { SkipReason } from '../vocabulary/reason-codes.ts';
import type { Defer, Skip, StartQuestion } from './start-question.ts';
import { validityOf, type ValidityQuestion } from './validity.ts';

/** Guards that say when nothing is started, whatever the campaign is doing. Pure. */

/** The kill switch of the stage. */
export function judgeFrozen({ switches }: Pick<StartQuestion, 'switches'>): Skip | undefined {
  const freeze = switches.find(({ scope, isOn }) => scope === 'stage' && isOn);
  return freeze && skip('FROZEN', `frozen ${saidBy(freeze)}`);
}

/** A campaign or a schedule that a person holds back. */
export function judgePaused({ switches }: Pick<StartQuestion, 'switches'>): Skip | undefined {
  const pause = switches.find(({ scope, isOn }) => scope !== 'stage' && isOn);
  return pause && skip('PAUSED', `${pause.scope} ${pause.name} paused ${saidBy(pause)}`);
}

/** A redelivered message must not start last night's run at noon. */
export function judgeValidity(question: ValidityQuestion & Pick<StartQuestion, 'now'>): Skip | undefined {
  const { command, now, deferredUntil } = question;
  const { from, until, validFor } = validityOf(question);
  if (now <= until) return undefined;
  const since = deferredUntil === undefined ? `issued ${command.issuedAt}` : `put off until ${from.toISOString()}`;
  return skip('MISSED_WINDOW', `${since}, valid for ${validFor}, and it is ${now.toISOString()}`);
}

/** A named window of the configuration. */
export function judgeBlackout({ blackouts, policy, effectAt }: StartQuestion): Skip | Defer | undefined {
  const covering = coveringBlackout(blackouts, policy.campaign, effectAt);
  if (covering === undefined) return undefined;
  const { name, starts } = covering.blackout;
  const until = covering.until.toISOString();
  const detail = `the blackout ${name} covers ${effectAt.toISOString()}, until ${until}`;
  return starts === 'skip' ? skip('BLACKOUT', detail) : { kind: 'defer', until, blackout: name, detail };
}

function saidBy({ by, at, reason }: SwitchItem): string {
  return `by ${by} since ${at}: ${reason}`;
}

function skip(reason: SkipReason, detail: string): Skip {
  return { kind: 'skip', reason, detail };
}
