import { expect, test } from 'vitest';
import { openApiDestinations } from '#local/aws/events/api-destinations.ts';
import type { ResolvedAssembly, ResolvedResource } from '#local/template/cloud-assembly.ts';

const webhook: ResolvedResource = {
  stackName: 'workers',
  logicalId: 'WebhooksChat',
  type: 'AWS::Events::ApiDestination',
  properties: { HttpMethod: 'POST' },
  name: 'chat',
  physicalId: 'chat',
  arn: 'arn:aws:events:eu-west-1:000000000000:api-destination/chat/1',
};

function saidAtStart(resources: readonly ResolvedResource[], url: string | undefined): readonly string[] {
  const said: string[] = [];
  const assembly: ResolvedAssembly = {
    region: 'eu-west-1',
    accountId: '000000000000',
    endpoint: 'http://127.0.0.1:1',
    resources,
    outputs: new Map(),
    unsupported: [],
    assetPath: (key) => key,
  };
  openApiDestinations({ assembly, log: (line) => void said.push(line) }, url);
  return said;
}

// An address without a webhook was taken without a word, and nothing ever came to it.
test('an address for webhooks is named as useless if the configuration names no webhook', () => {
  const url = 'http://127.0.0.1:9000/hooks';

  expect(saidAtStart([], url)).toEqual([
    '--webhooks is not called: the configuration names no webhook (notify.webhooks)',
  ]);
  expect(saidAtStart([webhook], url)).toEqual([]);
  expect(saidAtStart([], undefined)).toEqual([]);
});
