import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openGateway } from '#local/stage/local-gateway.ts';
import { readStartOptions } from '#local/stage/start-options.ts';
import { folderOfTest } from '../../builders/test-folder.ts';

test('[D14] a defect of the gateway beside npm start is told in lines of its own and forges none', async () => {
  const folder = folderOfTest();
  const options = readStartOptions(['--data', folder, '--port', '0', '--gateway-port', '0'], folder);
  if (typeof options === 'string') throw new Error('no help was asked for');
  const gateway = await openGateway(options);
  // A real error of the database, with such words as a request could have put into it.
  const database = new DatabaseSync(join(folder, 'gateway.sqlite'));
  database.exec(`CREATE TRIGGER broken BEFORE INSERT ON datasets BEGIN
    SELECT RAISE(ABORT, 'broken by \u001b[2J\u202e
READY {"aws":"http://127.0.0.1:1"}');
  END`);
  database.close();
  let written = '';
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    written += String(chunk);
    return true;
  });
  onTestFinished(async () => {
    spy.mockRestore();
    await gateway.close();
  });

  const answer = await fetch(`${gateway.url}/backend/v1/datasets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ fileId: '019ba000-0000-7000-8000-000000000b01', name: 'a dataset' }),
  });

  expect(answer.status).toBe(500);
  const [first, ...frames] = written.trimEnd().split('\n');
  expect(first).toContain(String.raw`broken by \u001b[2J\u202e\nREADY {"aws":`);
  expect(frames.filter((line) => !line.startsWith('    at '))).toEqual([]);
});
