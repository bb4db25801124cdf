import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultConnectMs } from '#shared/gateway-client/client.ts';
import { bucketNotificationsOutput, stackNames } from '#shared/vocabulary/stack-outputs.ts';
import { anchorsOf, headingsOf, sectionOf, settingsIn, tableBelow } from '../../unit/docs/documents/markdown.ts';
import { grantedIn } from '../security/granted.ts';
import type { StageTemplates } from '../template.ts';
import { allOptions, options, touched } from './options.ts';
import { type Changes, stageWith } from './stage-with.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/deploying.md'), 'utf8');

/** What is written in the example of the section with this anchor. */
async function exampleAt(anchor: string): Promise<Changes> {
  const { text: heading = '' } = headingsOf(page)[anchorsOf(page).indexOf(anchor)] ?? {};
  return settingsIn(sectionOf(page, heading));
}

const settings = tableBelow(page, 'The settings').map(([cell = '']) => {
  const [, setting = '', anchor = ''] = /^\[`([\w.]+)`\]\(#([\w-]+)\)$/.exec(cell) ?? [];
  return { setting, anchor };
});

/** The services that roles have to do with, as IAM names them, in order. */
function servicesIn(stage: StageTemplates): string[] {
  const granted = grantedIn(stage).granted.filter(({ to }) => to.kind === 'role');
  return [...new Set(granted.map(({ action }) => action.replace(/:.*/, '')))].toSorted();
}

describe('docs/deploying.md', () => {
  let plain: StageTemplates;

  beforeAll(async () => {
    plain = await stageWith({}, 'prod');
  });

  test('tells of every setting', () => {
    expect(settings.map(({ setting }) => setting.split('.')[1])).toEqual(Object.keys(options));
  });

  test.each(settings)('shows $setting with an example that does it', async ({ setting, anchor }) => {
    const [block = '', key = ''] = setting.split('.');
    const changes = await exampleAt(anchor);

    expect(changes).toHaveProperty([block, key]);
    const stage = await stageWith(changes, 'prod');
    expect(touched(plain, stage).filter((kind) => !kind.endsWith(' Tags'))).toEqual(options[key]?.touches);
  });

  test('names each service that a boundary has to allow, and each that the functions have to reach', async () => {
    const services = servicesIn(await stageWith(allOptions, 'prod'));

    for (const service of services) {
      expect(sectionOf(page, 'A permissions boundary'), service).toMatch(new RegExp(`\`${service}(?::\\w+)?\``));
    }
    // Lambda itself logs, makes network interfaces and has the roles of schedules call it; S3 and
    // SQS use the keys; rules publish to the topic.
    const away = new Set(['logs', 'ec2', 'kms', 'lambda', 'sns']);
    const names: Readonly<Record<string, string>> = {
      dynamodb: 'DynamoDB',
      events: '`events`',
      s3: 'S3',
      scheduler: '`scheduler`',
      secretsmanager: 'Secrets Manager',
      sqs: 'SQS',
    };
    expect(services.filter((service) => !away.has(service))).toEqual(Object.keys(names));
    for (const name of Object.values(names)) expect(sectionOf(page, 'A VPC')).toContain(name);
  });

  test('says how long a proxy has', () => {
    expect(defaultConnectMs).toBe(3000);
    expect(sectionOf(page, 'An outbound proxy')).toContain('three seconds for the tunnel and three more for TLS');
  });

  test('names the output with the notifications as the stack has it', () => {
    const commands = sectionOf(page, 'A bucket that you have already');

    expect(commands).toContain(`--stack-name ${stackNames('prod').state} `);
    expect(commands).toContain(`OutputKey=='${bucketNotificationsOutput}'`);
  });
});
