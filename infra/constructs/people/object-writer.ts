import { Effect, ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';
import { objectPrefixes } from '#shared/vocabulary/object-prefixes.ts';
import type { UploadsBucket } from '../storage/uploads-bucket.ts';

/** What the policy needs to be told. */
export interface ObjectWriterProps {
  readonly bucket: UploadsBucket;
  readonly puts: WrittenPrefixes;
  /**
   * What may be done by it, for the list of the account's policies. It never depends on the configuration: CloudFormation replaces a policy whose
   * description changes (AWS::IAM::ManagedPolicy, "Update requires: Replacement"), and people would lose theirs.
   */
  readonly description: string;
}

/** Where a policy lets people put objects; prefixes have their slash. */
export interface WrittenPrefixes {
  readonly allowed: readonly string[];
  /** Below an allowed one, and refused all the same. */
  readonly denied: readonly string[];
  /** What follows from a put, in a few words of Markdown. */
  readonly follows: string;
}

/**
 * For people and pipelines: puts objects below prefixes, and neither reads nor lists any. Who may write tests may not, by that, start runs. It
 * lies in the stack that stays, since a policy that is attached cannot be deleted.
 */
export class ObjectWriter extends ManagedPolicy {
  constructor(scope: Construct, id: string, { bucket, puts, description }: ObjectWriterProps) {
    super(scope, id, { description });
    const except = puts.denied.length === 0 ? '' : `, but for ${inWords(puts.denied)}`;
    for (const prefix of puts.allowed) {
      const why = `puts objects below \`${prefix}\`${except}, large ones in parts; ${puts.follows}`;
      bucket.grantPut(this, prefix, { isInParts: true, why });
    }
    if (puts.denied.length === 0) return;
    const resources = puts.denied.map((prefix) => bucket.arnOfObjects(prefix));
    this.addStatements(new PolicyStatement({ effect: Effect.DENY, actions: ['s3:PutObject'], resources }));
  }
}

/** Every file of a dataset, also those whose registration starts a run. Pure. */
export function anyDataset(rules: readonly ResolvedDatasetRule[]): WrittenPrefixes {
  const starting = startingRules(rules).map(({ prefix, thenStart }) => `\`${prefix}\` starts \`${thenStart}\``);
  const follows = starting.length === 0 ? 'no rule starts a run' : starting.join(', ');
  return { allowed: [objectPrefixes.datasets], denied: [], follows };
}

/**
 * Files of datasets that start nothing. The longest prefix decides about a file, and IAM's deny about all below its prefix: a prefix that starts
 * nothing below one that starts a run is refused too. Pure.
 */
export function quietDatasets(rules: readonly ResolvedDatasetRule[]): WrittenPrefixes {
  const starting = startingRules(rules).map(({ prefix }) => prefix);
  const quiet = rules.filter(({ thenStart }) => thenStart === undefined).map(({ prefix }) => prefix);
  const top = objectPrefixes.datasets;
  const allowed = starting.includes(top) && quiet.length > 0 ? quiet : [top];
  const denied = starting.filter((prefix) => allowed.some((one) => prefix.startsWith(one)));
  return { allowed, denied, follows: 'starts nothing' };
}

function startingRules(rules: readonly ResolvedDatasetRule[]): readonly ResolvedDatasetRule[] {
  return rules.filter(({ thenStart }) => thenStart !== undefined);
}

function inWords(prefixes: readonly string[]): string {
  return prefixes.map((prefix) => `\`${prefix}\``).join(' and ');
}
