import { UsageError } from '../errors.ts';
import { type Failure, failureOf } from '../failures.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { countedNeeds } from '../finding.ts';
import type { StageStatus } from '../status/status.ts';

/** One of several stages that are looked at together. */
export interface LookedAt {
  /** The name by which it was asked for: `prod@eu-west-1`, or a folder. */
  readonly label: string;
  /** @throws UnreachableError if there is no such stage on this machine */
  readonly open: () => OperatorDeps;
}

/** What was found of a stage, or why nothing was. */
export type Seen<Found> = { readonly found: Found } | { readonly failure: Failure };

/**
 * Looks at several stages at once. One that cannot be looked at says why, and hides no other.
 * @throws UsageError if the name of a stage cannot be meant
 */
export async function lookAtAll<Stage extends LookedAt, Found>(
  stages: readonly Stage[],
  look: (deps: OperatorDeps) => Promise<Found>,
): Promise<readonly (Stage & Seen<Found>)[]> {
  return Promise.all(stages.map(async (stage) => ({ ...stage, ...(await lookAt(stage, look)) })));
}

async function lookAt<Found>(stage: LookedAt, look: (deps: OperatorDeps) => Promise<Found>): Promise<Seen<Found>> {
  let deps: OperatorDeps | undefined;
  try {
    deps = stage.open();
    return { found: await look(deps) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return { failure: failureOf(error, deps?.target) };
  }
}

/**
 * Stages in the order in which a person reads them: unread stages, then those that need a person
 * most. The others follow as requested.
 */
export function mostUrgentFirst<Stage extends Seen<StageStatus>>(stages: readonly Stage[]): readonly Stage[] {
  return stages.toSorted((a, b) => urgencyOf(b) - urgencyOf(a));
}

/** A stage that cannot be read may need anything. */
function urgencyOf(seen: Seen<StageStatus>): number {
  if ('failure' in seen) return 2;
  const { problems, warnings } = countedNeeds(seen.found.needs);
  return problems > 0 ? 1 : warnings > 0 ? 0.5 : 0;
}
