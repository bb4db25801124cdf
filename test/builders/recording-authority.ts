import { type AccessRequest, type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import type { RequestContext } from '#local/aws/iam/conditions.ts';

/**
 * An action that a role, a person or a service used or was refused, whole. Asked again of other
 * policies, it shows who would miss what.
 */
export interface AccessRecord {
  readonly principal: string;
  readonly action: string;
  readonly resource: string;
  readonly context: RequestContext;
}

/** An authority that remembers what it decided. */
export type RecordingAuthority = ReturnType<typeof recordingAuthority>;

/** Creates one; what the developer does tells nothing about a grant. */
export function recordingAuthority(...of: Parameters<typeof createAuthority>) {
  const authority = createAuthority(...of);
  const used = new Map<string, AccessRecord>();
  const denied = new Map<string, AccessRecord & { readonly message: string }>();
  const authorize: Authority['authorize'] = (request) => {
    const decision = authority.authorize(request);
    const record = recordOf(request);
    if (record === undefined) return decision;
    if (decision.allowed) used.set(JSON.stringify(record), record);
    else denied.set(JSON.stringify(record), { ...record, message: decision.message });
    return decision;
  };
  return {
    ...authority,
    authorize,
    /** Everything allowed so far to roles, people and services, each once. */
    used: () => [...used.values()],
    /** Everything refused so far, each once. */
    denials: () => [...denied.values()],
  };
}

function recordOf({ caller, action, resource, context = {} }: AccessRequest): AccessRecord | undefined {
  if (caller.kind === 'developer') return undefined;
  const principal =
    caller.kind === 'service' ? caller.service : caller.kind === 'role' ? caller.roleArn : caller.policyArn;
  return { principal, action, resource, context: withKindsOfRows(context) };
}

/** A stage that works for long has rows without end, and kinds of rows for each grant. */
function withKindsOfRows(context: RequestContext): RequestContext {
  const { 'dynamodb:LeadingKeys': keys, ...others } = context;
  if (!Array.isArray(keys)) return context;
  const kinds = new Set(keys.map((key: string) => key.replace(/(?<=#).*/s, '')));
  return { ...others, 'dynamodb:LeadingKeys': [...kinds].toSorted() };
}
