import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { foreignRequest, serve } from '#local/aws/wire/serve.ts';
import { createAuthority } from '#local/aws/iam/authority.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { assemblyOf } from '../../../builders/write-assembly.ts';

test.each([['127.0.0.1:4566'], ['localhost'], ['[::1]:80']])('lets clients in that call it %s', (host) => {
  expect(foreignRequest({ host })).toBeUndefined();
});

test('turns away a name that only resolves to this machine', () => {
  expect(foreignRequest({ host: 'evil.example:4566' })).toContain('not to evil.example:4566');
});

test.each([['cross-site'], ['same-site'], ['same-origin']])(
  'turns away every page, also one that was uploaded here: %s',
  (site) => {
    expect(foreignRequest({ host: '127.0.0.1:4566', 'sec-fetch-site': site })).toContain('web pages');
  },
);

test('turns away a page in a browser that names only its origin', () => {
  expect(foreignRequest({ host: '127.0.0.1:4566', origin: 'https://evil.example' })).toContain('web pages');
});

/** The answer of a front door without services to these bytes, until it ends the connection. */
async function answerTo(bytes: string): Promise<string> {
  const authority = createAuthority(assemblyOf({ App: { Resources: {} } }), developerKey);
  const server = await serve({
    services: [],
    authority,
    region: 'eu-west-1',
    dataDir: import.meta.dirname,
    port: 0,
    log: () => {},
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.write(bytes);
  await once(socket, 'close');
  server.close();
  return answer;
}

// Each user of the machine could send commands that started real runs with the real token.
test.each([
  ['without a key', ''],
  [
    'with an invented one',
    'authorization: AWS4-HMAC-SHA256 Credential=DEVELOPER/20260101/eu-west-1/sqs/aws4_request, SignedHeaders=host;x-amz-date, Signature=0\r\nx-amz-date: 20261120T220000Z\r\n',
  ],
])('refuses a request %s', async (_, header) => {
  const answer = await answerTo(
    `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\nx-amz-target: AmazonSQS.SendMessage\r\n${header}content-length: 2\r\nconnection: close\r\n\r\n{}`,
  );

  expect(answer).toMatch(/^HTTP\/1\.1 403 /u);
  expect(answer).toContain('SignatureDoesNotMatch');
});
