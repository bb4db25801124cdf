import { formatPath } from '#shared/config/schema/names.ts';
import { AppError, toError } from '#shared/errors/app-error.ts';
import type { ConfigPart } from '#shared/config/resolve/resolved-automation.ts';
import {
  createSecretsManagerClient,
  DeletedSecretError,
  NoTokenError,
  readToken,
  type TokenInSecret,
} from '#shared/aws/secret-token.ts';
import { BadStatusError, factsOf, type GatewayClient, type GatewayError } from '#shared/gateway-client/index.ts';
import { shortLine } from '#shared/changes/words.ts';
import { type ReadFailure, type TokenAnswer, tokenQuestion, type TriedRead } from '#shared/messages/questions.ts';
import { openGate } from '../_gateway/gate.ts';
import { askedRead, type AskedReadDeps, createGatewayWithin } from '../_gateway/gateway-calls.ts';
import type { Runtime } from '../_handler/handlers.ts';

/** The gateway as one token finds it: a client for this question alone. */
interface TokenTrial extends Pick<AskedReadDeps, 'callBudgetMs'> {
  readonly gateway: Pick<
    GatewayClient,
    'listScannerPackages' | 'listEndpoints' | 'getCampaign' | 'getProject' | 'close'
  >;
}

/** What the answer needs of the world: reads. */
export interface TokenDeps extends Pick<AskedReadDeps, 'rateLimiter' | 'remainingMs'> {
  readonly config: Pick<ConfigPart<'answer-questions'>, 'gateway' | 'runs'>;
  /** Reads the secret again, even if this environment has read it before. */
  readonly fetchToken: (versionId: string | undefined) => Promise<TokenInSecret>;
  readonly trialOf: (token: string) => TokenTrial;
}

/**
 * Answers whether a version of the token is any good (`autopilot token`, `autopilot doctor`). It does not stop at the gate, which may be
 * closed for this very token, and leaves it as it is.
 * @throws Error for what is no such question
 */
export async function answerToken(event: unknown, deps: TokenDeps): Promise<TokenAnswer> {
  const { versionId } = tokenQuestion.parse(event);
  const { baseUrl } = deps.config.gateway;
  const found = await deps.fetchToken(versionId).catch(toError);
  if (found instanceof Error) return { baseUrl, secret: unusable(found), reads: [] };
  const { token, expiresAt } = found;
  return { baseUrl, secret: { kind: 'read', expiresAt }, reads: await makeReads(token, deps) };
}

/** Makes what an answer about the token needs, for each question again: no other question uses the token that it reads. */
export function createTokenTrial(
  { env, config, log, secrets }: Pick<Runtime<'answer-questions'>, 'env' | 'config' | 'log' | 'secrets'>,
  asked: Pick<TokenDeps, 'rateLimiter' | 'remainingMs'>,
): TokenDeps {
  return {
    ...asked,
    config,
    async fetchToken(versionId) {
      const found = await readToken(createSecretsManagerClient(), env.TOKEN_SECRET_ARN, versionId);
      secrets.add(found.token);
      return found;
    },
    trialOf(token) {
      const tokenProvider = { get: async () => token, refresh: async () => token };
      return createGatewayWithin({ ...config.gateway, tokenProvider, log })(asked.remainingMs());
    },
  };
}

function unusable(error: Error): TokenAnswer['secret'] {
  const code = error instanceof AppError ? error.code : error.name;
  const restoring = error instanceof DeletedSecretError ? [...error.restoring] : undefined;
  return { kind: 'unusable', code, why: error instanceof NoTokenError ? error.detail : error.message, restoring };
}

async function makeReads(token: string, deps: TokenDeps): Promise<TriedRead[]> {
  const { gateway, callBudgetMs } = deps.trialOf(token);
  const reads: TriedRead[] = [];
  try {
    for (const { make, ...read } of plannedReads(deps.config, gateway)) {
      const ended = reads.some(endsAll)
        ? untried('another read failed in a way that none would do better')
        : await tryRead(make, { ...deps, callBudgetMs });
      reads.push({ ...read, ...ended });
    }
    return reads;
  } finally {
    await gateway.close();
  }
}

/** A read, and what it is about if the configuration names that. */
interface PlannedRead extends Pick<TriedRead, 'read' | 'of' | 'setting'> {
  /** The reason, if there is nothing to read. */
  readonly make: (() => Promise<unknown>) | string;
}

/** One of each kind: a token may do something, or it may not. */
function plannedReads({ runs }: TokenDeps['config'], gateway: TokenTrial['gateway']): readonly PlannedRead[] {
  const configured = Object.values(runs);
  const withCampaign = configured.find(({ campaignId }) => campaignId !== undefined);
  const withProject = configured.find(({ project }) => project !== undefined);
  const { campaign, campaignId } = withCampaign ?? {};
  const { project, campaign: attacking } = withProject ?? {};
  return [
    { read: 'GET /scanner-packages', make: () => gateway.listScannerPackages({ limit: 1 }).next() },
    { read: 'GET /endpoints', make: () => gateway.listEndpoints() },
    campaign === undefined || campaignId === undefined
      ? { read: 'GET /campaigns', make: 'no campaign of the configuration has a campaignId' }
      : {
          read: 'GET /campaigns',
          of: campaign,
          setting: formatPath(['campaigns', campaign, 'campaignId']),
          make: () => gateway.getCampaign({ campaignId }),
        },
    project === undefined || attacking === undefined
      ? { read: 'GET /projects', make: 'no campaign of the configuration names its project' }
      : {
          read: 'GET /projects',
          of: project,
          setting: formatPath(['campaigns', attacking, 'project']),
          make: () => gateway.getProject({ project }),
        },
  ];
}

type Ended =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly failure: ReadFailure }
  | { readonly kind: 'untried'; readonly why: string };

async function tryRead(
  make: PlannedRead['make'],
  deps: Pick<AskedReadDeps, 'rateLimiter' | 'remainingMs' | 'callBudgetMs'>,
): Promise<Ended> {
  if (typeof make === 'string') return untried(make);
  const read = await askedRead(make, { ...deps, gate: openGate });
  if (read.ok) return { kind: 'answered' };
  return read.error === undefined ? untried(read.why) : { kind: 'failed', failure: failureOf(read.error) };
}

function untried(why: string): Ended {
  return { kind: 'untried', why };
}

/** No status came, or the token is refused: every other read would end as this one did. */
function endsAll(read: TriedRead): boolean {
  return read.kind === 'failed' && [undefined, 401, 407].includes(read.failure.httpStatus);
}

function failureOf(error: GatewayError): ReadFailure {
  const { code, message, cause } = error;
  const { causeCode, speaker } = factsOf(error);
  const causeMessage = cause instanceof Error ? cause.message : undefined;
  const answered = error instanceof BadStatusError ? { httpStatus: error.status, said: saidBy(error) } : {};
  return { code, message, causeCode, causeMessage, speaker, ...answered };
}

/** The first complaint, else the text as it came. */
function saidBy({ details }: BadStatusError): string | undefined {
  const said = shortLine(details.fields[0]?.message ?? details.text);
  return said === '' ? undefined : said;
}
