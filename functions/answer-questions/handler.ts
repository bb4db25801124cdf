/**
 * Trigger: an invocation by the operator's command, `autopilot`.
 * Input: a question of `shared/messages/questions.ts`.
 * Effects: none. It reads the ledger and the token, and sends GETs to the gateway. Its role may not
 *   write, send, publish or invoke.
 * Idempotent: a question changes nothing.
 * On failure: the error is the answer, and the person who asked reads it.
 * Alarms: none, for the same reason.
 */
import { createSecretsManagerClient, createSecretToken } from '#shared/aws/secret-token.ts';
import { type GatewayClient } from '#shared/gateway-client/index.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import { createReadOnlyGate } from '../_gateway/gate.ts';
import { createGatewayWithin } from '../_gateway/gateway-calls.ts';
import { createQuestionHandler, type QuestionFunction, type Runtime, type Tick } from '../_handler/handlers.ts';
import { openLedger } from '../_handler/stage-ledger.ts';
import { createRateLimiter } from '../_gateway/rate-limiter.ts';
import { answerConfigAt } from './stage-questions.ts';
import { answerPlan } from './plan.ts';
import { answerRunIds, answerSupplies } from './pool-ids.ts';
import { answerToken, createTokenTrial } from './token.ts';

function build(runtime: Runtime<'answer-questions'>): QuestionFunction {
  const { env, config, log, now, secrets } = runtime;
  const { ledger, acting } = openLedger(env, config.mode);
  const token = createSecretToken({
    client: createSecretsManagerClient(),
    secretArn: env.TOKEN_SECRET_ARN,
    onToken: (value) => void secrets.add(value),
  });
  const rateLimiter = createRateLimiter({ reads: config.requestsPerSecond });
  const gatewayWithin = createGatewayWithin({ ...config.gateway, tokenProvider: token, log });
  const gate = createReadOnlyGate(ledger, now);
  // Reads only: what an answer gets here has no way to write, send or change anything.
  const depsOf = ({ remainingMs }: Pick<Tick, 'remainingMs'>) => {
    const { gateway: client, callBudgetMs } = gatewayWithin(remainingMs());
    const gateway: Pick<GatewayClient, 'getCampaign' | 'getProject' | 'readCampaignRun'> = client;
    return { ledger, acting, gate, gateway, callBudgetMs, rateLimiter, config, now, remainingMs };
  };
  return {
    smoke: {
      ledger: () => ledger.read(ledgerKeys.gate()),
      runsInFlight: () => ledger.listOpen('RUN_IN_FLIGHT', { limit: 1 }),
      token: async () => token.get(),
    },
    questions: {
      'config-at': (event, asked) => answerConfigAt(event, depsOf(asked)),
      token: (event, asked) => answerToken(event, createTokenTrial(runtime, { rateLimiter, ...asked })),
      preview: (event, asked) => answerPlan(event, depsOf(asked)),
      'run-ids': (event, asked) => answerRunIds(event, depsOf(asked)),
      supplies: (_event, asked) => answerSupplies(depsOf(asked)),
    },
  };
}

/** The deployed function. */
export const handler = createQuestionHandler('answer-questions', build);
