/** Names of findings that others name as their cause. */
import type { SwitchSubject } from '#shared/ledger/switches.ts';

/** The gate: whether workers may call the gateway. */
export const gatewayConnection = 'gateway connection';

/** `freeze`, `campaign chat-bot's pause`, or `alarm chat-bot/target-5xx`. */
export function switchSubject({ scope, name }: SwitchSubject): string {
  if (scope === 'alarm') return `alarm ${name}`;
  return scope === 'stage' ? 'freeze' : `${scope} ${name}'s pause`;
}
