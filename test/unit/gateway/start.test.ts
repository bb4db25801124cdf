import { expect, test } from 'vitest';
import { readGatewayOptions } from '#gateway/start-options.ts';
import { sentenceOf } from '#gateway/start.ts';

test('listens on loopback, keeps nothing and has the usual profile unless told otherwise', () => {
  expect(readGatewayOptions([], undefined)).toEqual({
    port: 4010,
    host: '127.0.0.1',
    database: ':memory:',
    token: undefined,
    behaviour: {},
  });
});

test('takes every option', () => {
  const args = '--port 0 --host ::1 --data g.sqlite --profile real --run-length 1h30m --late refuse'.split(' ');

  expect(readGatewayOptions(args, 'from-the-environment')).toEqual({
    port: 0,
    host: '::1',
    database: 'g.sqlite',
    token: 'from-the-environment',
    behaviour: { profile: 'real', runLengthMs: 5_400_000, late: 'refuse' },
  });
});

test('takes the token from the environment, if it is not empty', () => {
  expect(readGatewayOptions([], 'from-the-environment')).toMatchObject({ token: 'from-the-environment' });
  expect(readGatewayOptions([], '')).toMatchObject({ token: undefined });
  expect(() => readGatewayOptions([], 'with space')).toThrow('AUTOPILOT_GATEWAY_TOKEN may hold letters, digits and');
});

test.each([
  [['--port', 'many'], '--port must be a number from 0 to 65535, not "many".'],
  [['--port', '65536'], '--port must be a number from 0 to 65535, not "65536".'],
  [['--token', 'good'], "unknown option '--token'"],
  [['--prot', '1'], "unknown option '--prot'"],
  [['--profile', 'lenient'], '--profile must be real or interface, not "lenient".'],
  [['--profile', 'real', '--late', 'never'], '--late must be accept or refuse, not "never".'],
  [
    ['--profile', 'real', '--run-length', '3x'],
    '--run-length "3x" is not a duration: write one like 90s, 45m or 1h30m.',
  ],
  [['--profile', 'interface', '--late', 'refuse'], '--late needs --profile real'],
  [['--profile', 'interface', '--run-length', '1h'], '--run-length needs --profile real'],
  [['4010'], 'unexpected argument "4010"'],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => readGatewayOptions(args, undefined)).toThrow(sentence);
});

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
