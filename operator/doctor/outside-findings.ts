import type { TopOfBucket } from '#shared/aws/top-of-bucket.ts';
import { keyFileName } from '#shared/net/loopback.ts';
import { objectPrefixes } from '#shared/vocabulary/resource-names.ts';
import { ownBucketBegin } from '#shared/vocabulary/stack-outputs.ts';
import { causeOf, isDenied } from '../errors.ts';
import type { OperatorDeps } from '../operator-deps.ts';
import { commandLine } from '../readable.ts';
import type { Target } from '../stage/target.ts';
import { type Finding, lookedAt } from './finding.ts';

/** Files that were put where no notification comes from: no worker, row or alarm knows of them. */

const subject = 'other files';

/** A slip is seen by a few names. */
const mostNamed = 3;
const longestName = 60;

/** Looks at the top of the bucket. */
export async function outsideFindings(deps: OperatorDeps): Promise<readonly Finding[]> {
  return lookedAt(subject, async () => [await lookOutside(deps)], deps.target);
}

async function lookOutside({ stage, target }: OperatorDeps): Promise<Finding> {
  const { BucketName: bucket } = await stage.outputs();
  try {
    return outsideFinding(await stage.topOfBucket(), { bucket, target });
  } catch (error) {
    if (!isDenied(error)) throw error;
    // The policies for people of an older version do not list the top of the bucket.
    return { subject, state: 'unknown', says: `cannot be looked for: ${causeOf(error)}` };
  }
}

/** What lies outside of the prefixes. In a bucket that the stage shares, others' files are nothing to know. Pure. */
function outsideFinding(
  { names, isPartial }: TopOfBucket,
  { bucket, target }: { readonly bucket: string; readonly target: Target },
): Finding {
  const prefixes: readonly string[] = Object.values(objectPrefixes);
  const outside = names.filter((name) => !prefixes.includes(name));
  const where = prefixes.join(' and ');
  const next = topListing(bucket, target);
  if (outside.length === 0 && isPartial) return { subject, state: 'unknown', says: 'not all names were listed', next };
  if (outside.length === 0) return { subject, state: 'ok', says: `none outside of ${where}` };
  const named = outside.slice(0, mostNamed).map((name) => commandLine([cut(name)]));
  const more = outside.length > named.length || isPartial ? ', …' : '';
  const found = `outside of ${where} no part of Autopilot sees ${named.join(', ')}${more}`;
  const isOwn = bucket.startsWith(ownBucketBegin(target.stage));
  return {
    subject,
    state: isOwn ? 'warning' : 'unknown',
    says: isOwn ? `${found}; put below ${prefixes[0]} what is meant for it` : `${found}; the bucket is shared`,
    next,
  };
}

/**
 * The command that lists everything at the top of a bucket, as docs/datasets.md has it.
 * @param target - the stage that the AWS command line has to find. @default as its environment says
 */
export function topListing(bucket: string, target?: Target): string {
  const list = ['aws', 's3api', 'list-objects-v2', '--bucket', bucket, '--prefix', '', '--delimiter', '/'];
  const command = commandLine([...list, '--query', '[CommonPrefixes[].Prefix, Contents[].Key]', ...whereOf(target)]);
  if (target?.kind !== 'local') return command;
  return `AWS_SHARED_CREDENTIALS_FILE=${commandLine([`${target.folder}/${keyFileName}`])} ${command}`;
}

function whereOf(target: Target | undefined): readonly string[] {
  if (target?.kind === 'local') return ['--endpoint-url', target.endpoint, '--region', target.region];
  return (['profile', 'region'] as const).flatMap((name) => {
    const value = target?.[name];
    return value === undefined ? [] : [`--${name}`, value];
  });
}

function cut(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}
