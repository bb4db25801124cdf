import { roleIdOf } from '../../template/resource-types.ts';
import type { Caller } from './authority.ts';

/**
 * How SQS names the sender of a message: a role by its unique id and its session, a user by an id.
 * Source: SenderId, ReceiveMessage, Amazon SQS API Reference.
 */
export function senderIdOf(caller: Caller): string {
  if (caller.kind === 'service') return caller.service;
  if (caller.kind === 'role') return `${roleIdOf(caller.roleName)}:${caller.session}`;
  return `AIDA${caller.kind === 'person' ? caller.policyName.toUpperCase() : 'DEVELOPER'}`;
}
