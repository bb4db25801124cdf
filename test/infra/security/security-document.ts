import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildFunctions } from '#infra/bundle/build-functions.ts';
import { packageFolder } from '#shared/places.ts';
import { replaceBetween } from '../../unit/docs/documents/between-marks.ts';
import { tableOfCommands } from '../../integration/stage/harness/command-lines.ts';
import { validDocument } from '../../unit/shared/config/document.ts';
import { type Changes, stageWith } from '../stacks/stage-with.ts';
import { configurations, synthesize } from '../template.ts';
import { grantTables, settingTable } from './grant-tables.ts';
import { readCodeUsers } from './granted.ts';
import { takenOverTable } from './taken-over.ts';

/** The document whose tables are made from the templates. */
export const securityPath = join(packageFolder, 'docs', 'security.md');

/**
 * The settings that let a person do more, or something else. What AWS asks for on a key, and to put a function into subnets, cannot be met on one
 * machine; it documents:
 *
 * - DynamoDB, usage notes of encryption at rest
 *   (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html);
 *   `kms:CreateGrant`, which is there too, is for who makes the table.
 * - SQS, key management
 *   (https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html):
 *   a producer generates a data key, and decrypts to prove the one that it uses again; a consumer
 *   decrypts. Who does both needs what a producer needs.
 * - Secrets Manager
 *   (https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html): a read
 *   decrypts; a new value is encrypted with a data key, for which it asks for both.
 * - S3, SSE-KMS (https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html): a
 *   download decrypts; an upload generates a data key, and one in parts decrypts, too.
 * - Lambda, `AWSLambdaVPCAccessExecutionRole` without its logs
 *   (https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html, "Required IAM permissions").
 */
const settings: Readonly<Record<string, Changes>> = {
  'campaigns.haltOn': { campaigns: halting() },
  'deployment.vpc': { deployment: { vpc: { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] } } },
  'deployment.uploadsBucket': {
    deployment: {
      uploadsBucket: { name: 'your-bucket', keyArn: 'arn:aws:kms:eu-west-1:123456789012:key/your-key' },
    },
  },
  'deployment.encryption': { deployment: { encryption: 'customer-managed' } },
};

/** The campaigns of a document, each of which halts on an alarm. */
export function halting(): Changes['campaigns'] {
  const haltOn = ['arn:aws:cloudwatch:eu-west-1:123456789012:alarm:target-5xx'];
  return Object.fromEntries(
    Object.entries(validDocument().campaigns).map(([name, campaign]) => [name, { ...campaign, haltOn }]),
  );
}

/** The document as it should be: its own words, and tables of the templates as they are now. */
export async function freshSecurityDocument(): Promise<string> {
  const document = await readFile(securityPath, 'utf8');
  const command = 'npm run docs -- security';
  const parts = {
    'taken-over': takenOverTable(),
    commands: `${tableOfCommands()}\n`,
    grants: await tablesOfExample(),
    settings: await tablesOfSettings(),
  };
  return Object.entries(parts).reduce((text, [name, part]) => replaceBetween(text, { name, command }, part), document);
}

async function tablesOfExample(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'autopilot-security-'));
  try {
    const [templates, code] = await Promise.all([
      synthesize(configurations.example),
      buildFunctions({ outDir }).then(readCodeUsers),
    ]);
    return grantTables(templates, code);
  } finally {
    await rm(outDir, { recursive: true });
  }
}

async function tablesOfSettings(): Promise<string> {
  const plain = await stageWith({}, 'prod');
  const tables: string[] = [];
  for (const [name, changes] of Object.entries(settings)) {
    const table = settingTable(plain, await stageWith(changes, 'prod'));
    tables.push(`### \`${name}\`\n\n${table}\n`);
  }
  return tables.join('\n');
}
