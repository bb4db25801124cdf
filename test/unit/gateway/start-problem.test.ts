import { expect, test } from 'vitest';
import { readGatewayOptions } from '#gateway/start-options.ts';
import { sentenceOf } from '#gateway/start.ts';

const read = readGatewayOptions(['--data', '/srv/gateway.sqlite'], undefined);
if (typeof read === 'string') throw new Error('no help was asked for');
const options = read;

function failed(fields: object): Error {
  return Object.assign(new Error('failed'), fields);
}

// Each error of SQLite was "not a database of this gateway", and a folder without permission was a port.
test.each([
  [{ code: 'ERR_SQLITE_ERROR', errcode: 5 }, /^The file \S+ is in use, .* end that program/],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 8 }, /^The file \S+ is read-only for this user: change its permissions/],
  // An extended code: READONLY_DIRECTORY.
  [{ code: 'ERR_SQLITE_ERROR', errcode: 1544 }, /^The file \S+ is read-only for this user/],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 14 }, /^The file \S+ cannot be opened: check that this user may write it/],
  [{ code: 'EACCES', syscall: 'mkdir' }, /^The file \S+ cannot be opened: check that this user may write it/],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 26 }, /^The file \S+ is not a database of this gateway: check --data\.$/],
  [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, /^The file \S+ cannot be used \(failed\): name another with --data\.$/],
  [{ code: 'EACCES', syscall: 'listen' }, /^Port 4010 may not be opened by this user/],
  [{ code: 'ENOMEM', syscall: 'listen' }, /^The gateway could not start: failed$/],
])('%j is a sentence that says what to do', (fields, sentence) => {
  expect(sentenceOf(failed(fields), options)).toMatch(sentence);
});
