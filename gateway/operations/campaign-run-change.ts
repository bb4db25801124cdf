/** The fields of interface 4.5, checked: the same for a PATCH and for a change by hand. */
import * as z from 'zod';
import { parseInstant } from '../http/instant.ts';
import type { RunPolicy } from '../run-policy.ts';

const word = z.string().refine((text) => text.trim() !== '', 'must not be empty');
const instant = z
  .string()
  .refine(
    (text) => parseInstant(text) !== undefined,
    'must be a date and time with an offset, such as 2026-02-01T00:00:00Z',
  );

/** The four fields, each optional; `status` from the configured list, if there is one. */
export function campaignRunFields(policy: RunPolicy) {
  const status = z
    .string()
    .refine(
      (text) => (policy.statuses === undefined ? text.trim() !== '' : policy.statuses.includes(text)),
      policy.statuses === undefined ? 'must not be empty' : `must be one of: ${policy.statuses.join(', ')}`,
    );
  return {
    name: word.optional(),
    preserve: z.union([z.string(), z.boolean()]).optional(),
    startAt: instant.optional(),
    status: status.optional(),
  };
}

/** The body of a PATCH: at least one of the four fields, nothing else. */
export function campaignRunChangeSchema(policy: RunPolicy) {
  return z
    .strictObject(campaignRunFields(policy))
    .refine((change) => Object.keys(change).length > 0, 'one of name, preserve, startAt and status is required');
}
