/** Names of findings that others name as their cause. */
import type { SwitchSubject } from '#shared/ledger/switches.ts';

/** The gate: whether workers may call the gateway. */
export const gatewayConnection = 'gateway connection';

/** `freeze`, or `campaign chat-bot's pause`. */
export function switchSubject({ scope, name }: SwitchSubject): string {
  return scope === 'stage' ? 'freeze' : `${scope} ${name}'s pause`;
}
