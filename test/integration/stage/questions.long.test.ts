/** Every question, asked of the function as it is deployed, under its own role. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingsTable } from '#console/routes/settings-words.ts';
import { productVersion } from '#shared/vocabulary/product-version.ts';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import {
  configAtAnswer,
  configQuestion,
  previewAnswer,
  suppliesAnswer,
  suppliesQuestion,
  tokenAnswer,
} from '#shared/messages/questions.ts';
import { type InProcessStage, openInProcessStage } from './harness/in-process-stage.ts';

let it: InProcessStage;
let authority: Authority;

beforeAll(async () => {
  it = await openInProcessStage({
    stageName: 'local',
    authorityFor: (assembly, key) => (authority = createAuthority(assembly, key)),
  });
});

afterAll(async () => it.close());

async function invoke(event: object) {
  const { payload, functionError } = await it.invoke('answer-questions', event);
  return { answer: JSON.parse(payload), functionError };
}

const start = (issuedAt: string) => ({
  version: 1,
  id: 'planned',
  action: 'start',
  run: 'nightly',
  issuedAt,
  origin: { kind: 'schedule', name: 'weeknights' },
});

describe('answer-questions', () => {
  test('answers what is configured, left and known, with nothing but reads and its own log', async () => {
    const at = new Date(it.clock.now()).toISOString();

    const config = await invoke(configQuestion);
    const supplies = await invoke(suppliesQuestion);
    const project = await invoke({ ask: 'config-at', of: 'project', run: { run: 'nightly' }, at });
    const token = await invoke({ ask: 'token' });
    const plan = await invoke({ ask: 'preview', commands: [start(at)], until: at });
    const smoke = await invoke({});

    expect(config.answer).toMatchObject({ stage: 'local', mode: 'act', runs: { nightly: { campaign: 'chat-bot' } } });
    expect(settingsTable(config.answer).map(({ part }) => part)).toEqual(
      expect.arrayContaining(['Runs', 'Watches', 'Upload rules', 'Notices']),
    );
    expect(suppliesAnswer.parse(supplies.answer).bindings).toContainEqual({ run: 'nightly', left: 16, isLow: false });
    expect(configAtAnswer.parse(project.answer)).toMatchObject({ kind: 'read', name: 'chat-app' });
    expect(tokenAnswer.parse(token.answer).reads.map(({ kind }) => kind)).toEqual(Array(4).fill('answered'));
    expect(previewAnswer.parse(plan.answer).commands).toMatchObject([{ id: 'planned', outcome: 'applied' }]);
    expect(smoke.answer).toEqual({
      ok: true,
      version: productVersion,
      checks: { ledger: 'ok', runsInFlight: 'ok', token: 'ok' },
    });
    const used = authority.used().filter(({ principal }) => principal.includes('AnswerQuestions'));
    expect([...new Set(used.map(({ action }) => action))].toSorted()).toEqual([
      'dynamodb:BatchGetItem',
      'dynamodb:GetItem',
      'dynamodb:Query',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'secretsmanager:GetSecretValue',
    ]);
    expect(authority.denials()).toEqual([]);
  });

  test('does no work: it takes no message, and answers no question that it does not know', async () => {
    const record = { messageId: 'm', body: '{"version":1,"action":"start","run":"nightly"}' };

    const message = await invoke({ Records: [record] });
    const unknown = await invoke({ ask: 'anything' });

    expect(message).toMatchObject({
      functionError: 'Unhandled',
      answer: { errorMessage: 'answer-questions only answers questions: { "ask": … }' },
    });
    expect(unknown).toMatchObject({
      functionError: 'Unhandled',
      answer: { errorMessage: 'this function does not answer the question "anything"' },
    });
  });
});
