import { expect, test } from 'vitest';
import { requestLog } from '#functions/_gateway/gateway-calls.ts';
import { keptOutput } from '../../../builders/ports.ts';

test('the line of a request has the id that the gateway got, beside the one of the invocation', () => {
  const { lines, log } = keptOutput();

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

  expect(lines).toMatchObject([{ event: 'gateway_request', fields: { xRequestId: 'of-the-request', status: 200 } }]);
  expect(lines[0]?.fields).not.toHaveProperty('requestId');
});
