import { expect, test } from 'vitest';
import { openGatewayDatabase } from '#gateway/store/database.ts';
import { type LoggedRequest, RequestLog } from '#gateway/store/request-log.ts';
const request: LoggedRequest = {
  at: '2026-03-02T12:00:00.000Z',
  method: 'GET',
  path: '/backend/v1/endpoints',
  query: '',
  operation: 'listEndpoints',
  requestId: 'r',
  status: null,
  fault: null,
  body: null,
};

test('keeps the last 10,000 requests and lets older ones go', () => {
  using database = openGatewayDatabase(':memory:');
  const log = new RequestLog(database);

  for (let number = 1; number <= 10_300; number += 1) log.begin({ ...request, requestId: String(number) });

  expect(log.last(Infinity).map((one) => one.requestId)).toEqual(
    Array.from({ length: 10_000 }, (_, index) => String(index + 301)),
  );
  expect(database.prepare('SELECT count(*) AS kept FROM requests').get()).toEqual({ kept: 10_000 });
});

test('a request still served when the log is cleared does not complete the line of another', () => {
  using database = openGatewayDatabase(':memory:');
  const log = new RequestLog(database);
  const before = log.begin(request);

  log.clear();
  log.begin({ ...request, requestId: 'after' });
  log.complete(before, { ...request, status: 500 });

  expect(log.last(10)).toEqual([{ ...request, requestId: 'after' }]);
});
