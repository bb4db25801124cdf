import { expect, test } from 'vitest';
import { readGatewayOptions } from '#gateway/start-options.ts';

test('listens on loopback, keeps nothing and permits everything unless told otherwise', () => {
  expect(readGatewayOptions([], undefined)).toEqual({
    port: 4010,
    host: '127.0.0.1',
    database: ':memory:',
    token: undefined,
    statuses: undefined,
    allowRestart: true,
    strict: false,
    help: false,
  });
});

test('takes every option', () => {
  const args = '--port 0 --host ::1 --data g.sqlite --token t --statuses a,b --no-restart --strict --help'.split(' ');

  expect(readGatewayOptions(args, 'from-the-environment')).toEqual({
    port: 0,
    host: '::1',
    database: 'g.sqlite',
    token: 't',
    statuses: ['a', 'b'],
    allowRestart: false,
    strict: true,
    help: true,
  });
});

test('takes the token from the environment, if it is not empty', () => {
  expect(readGatewayOptions([], 'from-the-environment').token).toBe('from-the-environment');
  expect(readGatewayOptions([], '').token).toBeUndefined();
});

test.each([
  [['--port', 'many'], '--port must be a number from 0 to 65535, not "many".'],
  [['--port', '65536'], '--port must be a number from 0 to 65535, not "65536".'],
  [['--token', 'with space'], 'The token may hold letters, digits and . _ ~ + / - only'],
  [['--prot', '1'], "Unknown option '--prot'"],
  [['4010'], 'Unexpected argument'],
])('%j is refused in one sentence', (args, sentence) => {
  expect(() => readGatewayOptions(args, undefined)).toThrow(sentence);
});
