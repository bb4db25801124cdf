import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startDynamoDbEngine } from '#local/aws/dynamodb/dynamodb-engine.ts';

test('the engine answers the front door alone: its own port is closed to pages and other users', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'autopilot-test-'));
  // Only the address that it talks to is learnt from this; the requests are real.
  const fetched = vi.spyOn(globalThis, 'fetch');
  const engine = await startDynamoDbEngine(folder);

  const inside = await engine.call('ListTables', {});
  const url = fetched.mock.calls[0]?.[0] ?? '';
  const outside = await fetch(url, {
    method: 'POST',
    headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables', origin: 'https://evil.example' },
    body: '{}',
  });
  await engine.close();
  fetched.mockRestore();
  rmSync(folder, { recursive: true });

  expect(inside).toEqual({ TableNames: [] });
  expect(outside.status).toBe(403);
  expect(outside.headers.get('access-control-allow-origin')).toBeNull();
});
