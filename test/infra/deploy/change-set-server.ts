import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { container, element } from '#local/aws/wire/xml.ts';
import type { Pages } from './change-sets.ts';

/** CloudFormation as far as DescribeChangeSet goes, over HTTP and in the XML of its API. */
export interface ChangeSetServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves change sets, by ARN, page by page. Without one it answers as for a caller who may not read it. */
export async function serveChangeSets(sets: Readonly<Record<string, Pages>>): Promise<ChangeSetServer> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const asked = new URLSearchParams(body);
      const pages = sets[asked.get('ChangeSetName') ?? ''] ?? [];
      const token = asked.get('NextToken');
      const page = pages[token === null ? 0 : pages.findIndex(({ NextToken }) => NextToken === token) + 1];
      const isKnown = asked.get('Action') === 'DescribeChangeSet' && page !== undefined;
      response.writeHead(isKnown ? 200 : 403, { 'content-type': 'text/xml' });
      response.end(isKnown ? container('DescribeChangeSetResponse', xml('DescribeChangeSetResult', page)) : denial);
    });
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => void server.close(done));
    },
  };
}

const denial = container(
  'ErrorResponse',
  container('Error', [
    element('Type', 'Sender'),
    element('Code', 'AccessDenied'),
    element(
      'Message',
      'User: arn:aws:iam::123456789012:user/pipeline is not authorized to perform: cloudformation:DescribeChangeSet',
    ),
  ]),
);

/** Lists are `member` elements in the Query protocol. */
function xml(name: string, value: unknown): string {
  if (Array.isArray(value))
    return container(
      name,
      value.map((each) => xml('member', each)),
    );
  if (typeof value === 'object' && value !== null) {
    return container(
      name,
      Object.entries(value).map(([key, each]) => xml(key, each)),
    );
  }
  return typeof value === 'string' || typeof value === 'boolean' ? element(name, value) : '';
}
