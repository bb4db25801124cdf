import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '#functions/_handler/output.ts';
import { requestLog } from '#functions/_gateway/gate.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('the line of a request has the id that the gateway got, beside the one of the invocation', () => {
  const lines: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => lines.push(String(chunk)) > 0);
  const log = createLog({ functionName: 'update-campaign-runs', stage: 'test', leastLevel: 'DEBUG' });
  log.setRequestId('of-the-invocation');

  requestLog(log)({
    operation: 'updateCampaignRun',
    method: 'PATCH',
    pathTemplate: '/backend/v1/campaign-runs/{id}',
    requestId: 'of-the-request',
    attempt: 1,
    status: 200,
    durationMs: 12,
    requestSent: true,
  });

  expect(JSON.parse(lines.join(''))).toMatchObject({
    event: 'gateway_request',
    requestId: 'of-the-invocation',
    xRequestId: 'of-the-request',
    status: 200,
  });
});
