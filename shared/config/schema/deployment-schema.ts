import * as z from 'zod';
import { section } from './section.ts';
import { written } from './value-schemas.ts';

/** A list of ids with at least one. */
function ids(prefix: 'subnet' | 'sg', what: string) {
  const id = written(
    new RegExp(`^${prefix}-[0-9a-f]{8,17}$`),
    `the id of a ${what}, such as "${prefix}-0a1b2c3d4e5f60718"`,
  );
  return z
    .array(id)
    .min(1, { error: `is empty; write the id of at least one ${what}.` })
    .readonly();
}

const bucketName = written(
  /^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
  'the name of a bucket: 3 to 63 of a-z, 0-9, dots and hyphens, and no ARN',
);
const boundary = written(
  /^arn:aws[a-z-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+$/,
  'the ARN of a policy, such as "arn:aws:iam::123456789012:policy/team-boundary"',
);
const key = written(
  /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
  'the ARN of a key (not of its alias), such as "arn:aws:kms:eu-west-1:123456789012:key/…"',
);

const mostTags = 50; // what AWS takes on one resource
const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

const tags = z.record(z.string(), z.string()).superRefine((all, context) => {
  const complain = (path: readonly string[], message: string) => {
    context.addIssue({ code: 'custom', path: [...path], message });
  };
  const names = Object.keys(all);
  if (names.length > mostTags) complain([], `has ${names.length} tags; AWS takes ${mostTags}.`);
  for (const [index, name] of names.entries()) {
    if (name === '' || name.length > 128 || !tagText.test(name) || /^aws:/i.test(name)) {
      complain([name], 'cannot be a tag: 1 to 128 letters, digits, spaces and _.:/=+-@, not beginning with aws:.');
    }
    const value = all[name] ?? '';
    if (value.length > 256 || !tagText.test(value)) {
      complain([name], 'has a value that is none of a tag: at most 256 letters, digits, spaces and _.:/=+-@.');
    }
    if (names.slice(0, index).some((other) => other.toLowerCase() === name.toLowerCase())) {
      complain([name], 'is there in another case already, and IAM takes the two for one.');
    }
  }
});

const archiveDays = z.number().refine((days) => Number.isInteger(days) && days >= 1 && days <= 3650, {
  error: 'is not a number of days from 1 to 3650.',
});

const assetsPrefix = written(
  /^(?:[\w!.*'()-]+\/){1,10}$/,
  "the beginning of a key that ends with a slash, such as 'gateway-autopilot/'",
);

/** The rules of the AWS account: none has a default to apply, what is written is what infra gets. */
export const deployment = section({
  /** The functions run in these subnets, with these security groups. @default in no VPC */
  vpc: section({
    /** At least one. */
    subnetIds: ids('subnet', 'subnet'),
    /** At least one. */
    securityGroupIds: ids('sg', 'security group'),
  }).optional(),
  /** ARN of the policy that bounds every role. @default none */
  permissionsBoundary: boundary.optional(),
  /**
   * A bucket that people put files into already, in place of one of the stage's own. It keeps
   * versions, and its owner lets it announce new objects to the stage's queues. @default a bucket
   * of the stage's own
   */
  uploadsBucket: section({
    /** Its name, and no ARN. */
    name: bucketName,
    /** ARN of the key of yours that its objects are encrypted with. @default none of yours */
    keyArn: key.optional(),
  }).optional(),
  /**
   * `customer-managed`: ledger, token, queues and the stage's bucket each get a key of this
   * account, with rotation. About 1 $ a month for each key. @default keys that the services keep,
   * at no cost
   */
  encryption: z.enum(['customer-managed']).optional(),
  /**
   * Days for which EventBridge keeps each event of the outcome bus, 1 to 3,650. What it keeps, no
   * `Operator` can change. @default none is kept
   */
  eventArchiveDays: archiveDays.optional(),
  /**
   * A bucket of yours for the functions' archives, in the region of the stage. Nothing then needs the CDK's bootstrap.
   * What is deployed is put there with your own credentials. @default the bucket of the bootstrap
   */
  assets: section({
    /** Its name, and no ARN. */
    bucket: bucketName,
    /** What keys begin with; it ends with a slash. */
    prefix: assetsPrefix,
  }).optional(),
  /** On everything that takes tags. @default none */
  tags: tags.optional(),
});
