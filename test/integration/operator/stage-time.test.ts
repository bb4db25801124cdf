import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { main } from '#cli/main.ts';
import { openStage } from '#operator/stage/operator-deps.ts';
import { stateOutputs, workersOutputs } from '#shared/vocabulary/stack-outputs.ts';
import { keptTerminal } from '../../builders/kept-terminal.ts';

const hourMs = 3_600_000;

/** A stack with every output of a stage, as CloudFormation tells it. */
function describedStack(): string {
  const outputs = [...stateOutputs, ...workersOutputs].map(
    (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>UTC</OutputValue></member>`,
  );
  const stack = `<member><StackName>s</StackName><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${outputs.join('')}</Outputs></member>`;
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`;
}

/** AWS, whose clock is so far ahead of this machine's. */
async function startCloud(aheadMs: number): Promise<void> {
  const server = createServer((_request, response) => {
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    response.setHeader('content-type', 'text/xml');
    response.end(describedStack());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIA0000000000000000');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
}

afterEach(() => void vi.unstubAllEnvs());

// A laptop two days behind had its start passed over as too late.
test.each([
  ['two days ahead', 48 * hourMs],
  ['two days behind', -48 * hourMs],
  ['that agrees with it', 0],
])("a command gets the time of AWS, not that of the person's machine: one %s", async (_what, aheadMs) => {
  await startCloud(aheadMs);
  const { now } = openStage({ kind: 'aws', stage: 'prod', region: 'eu-west-1' })();

  const offsetMs = (await now()).getTime() - Date.now();

  expect(Math.abs(offsetMs - aheadMs)).toBeLessThan(60_000);
});

// The stage answers nothing else: an error of the command stands beside it.
test.each(['history', 'uploads'])('%s says that another version deployed the stage', async (command) => {
  await startCloud(0);
  const { terminal, written } = keptTerminal();

  await main([command, '--aws', '--stage', 'prod', '--region', 'eu-west-1'], terminal);

  expect(written.err).toMatch(
    /^autopilot: this stage is 0\.9\.0 or older, this command is \S+: deploy this version\./m,
  );
});
