import { expect, test } from 'vitest';
import { deployedNames, functionEnvironment } from '../../bench/measure/deployed-function.ts';
import { functionConfig } from '../../bench/measure/function-config.ts';
import { readEnvironment } from '#shared/config/env-contract.ts';

const origin = 'http://127.0.0.1:8080';

test.each(deployedNames)('%s finds every variable that it reads when it starts', (name) => {
  const environment = readEnvironment(name, functionEnvironment(origin));

  expect(environment).toMatchObject({ LEDGER_TABLE: 'ledger', TOKEN_SECRET_ARN: expect.stringMatching(/^arn:/) });
});

test('nothing that a function is told leads away from this machine', () => {
  const addresses = JSON.stringify([functionEnvironment(origin), functionConfig(origin)]).match(/https?:\/\/[^/"]+/g);

  expect(new Set(addresses)).toEqual(new Set([origin]));
});
