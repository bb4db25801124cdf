import {
  BadStatusError,
  classifyFailure,
  type GatewayClient,
  GatewayError,
  type Verdict,
} from '#shared/gateway-client/index.ts';
import { readingOf } from '#shared/ledger/rows/campaign-row.ts';
import { runReadingOf } from '#shared/ledger/rows/run-reading.ts';
import type { CallFailure, GatewayCalls, PatchAnswer, PatchEffect, RunsConfig } from '../_runs/decide/state.ts';
import type { Gate } from '../_gateway/gate.ts';

/** What the calls need of the world. */
export interface GatewayCallDeps {
  readonly gateway: Pick<GatewayClient, 'updateCampaignRun' | 'getCampaign' | 'readCampaignRun'>;
  readonly gate: Pick<Gate, 'answered' | 'failed'>;
  readonly callBudgetMs: number;
  readonly config: Pick<RunsConfig, 'mode' | 'gateway'>;
}

/** The calls of the worker; their results reach the gate once the rows are written. */
export function createGatewayCalls({ gateway, gate, callBudgetMs, config }: GatewayCallDeps): GatewayCalls {
  return {
    /** Sends one PATCH, if the stage acts. The process may have been frozen since the row was written: with too little time left nothing is sent. */
    async patch(effect, { attemptId, remainingMs, now }) {
      const { input } = effect;
      if (config.mode === 'observe') return { answer: { next: 'applied', why: wouldSend(input) } };
      if (remainingMs() < callBudgetMs) return { answer: noTimeLeft };
      try {
        await gateway.updateCampaignRun({ ...input, requestId: attemptId });
        return { answer: { next: 'applied' }, report: () => gate.answered() };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const alreadyInState = config.gateway.alreadyInState[effect.to];
        const verdict = withRequestId(classifyFailure('patch', error, { alreadyInState }), attemptId);
        const answer = answerOf(effect, { error, verdict, now: now() }, config.gateway);
        return { answer, report: () => gate.failed(verdict, input.campaignRunId) };
      }
    },
    /** `GET campaign`. A read that fails is never taken for an answer. */
    async readCampaign(campaignId, { attemptId }) {
      try {
        const { campaign } = await gateway.getCampaign({ campaignId, requestId: attemptId });
        return { answer: { next: 'read', reading: readingOf(campaign) }, report: () => gate.answered() };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const verdict = withRequestId(classifyFailure('get', error), attemptId);
        const why = `campaign ${campaignId} could not be read: ${verdict.why}`;
        const answer: CallFailure = { ...verdict, next: verdict.next === 'park' ? 'park' : 'later', why };
        return { answer, report: () => gate.failed(verdict, campaignId) };
      }
    },
    /** `GET campaign-run`. One that cannot be read says nothing, and closes no gate. */
    async readRun(campaignRunId, { attemptId }) {
      try {
        const { campaignRun } = await gateway.readCampaignRun({ campaignRunId, requestId: attemptId });
        return { answer: runReadingOf(campaignRun), report: () => gate.answered() };
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const verdict = classifyFailure('get', error);
        const isPause = verdict.pauseMs !== undefined;
        return { answer: undefined, report: isPause ? () => gate.failed(verdict, campaignRunId) : undefined };
      }
    },
  };
}

const noTimeLeft: PatchAnswer = {
  applied: 'no',
  next: 'later',
  why: 'too little time left for a call',
  evidence: { requestSent: false },
};

/** A request that was sent can be found at the gateway by its id. */
function withRequestId(verdict: Verdict, requestId: string) {
  const { evidence } = verdict;
  return { ...verdict, evidence: { ...evidence, requestId: evidence.requestSent === true ? requestId : undefined } };
}

/** What a failed PATCH means for its run (docs/reference/ledger.md, "A run"). A stop is parked by what the table parks; a start of which nothing is known is in doubt. */
function answerOf(
  effect: PatchEffect,
  { error, verdict, now }: { readonly error: GatewayError; readonly verdict: Verdict; readonly now: Date },
  gateway: RunsConfig['gateway'],
): PatchAnswer {
  const { next, why, isAlready } = verdict;
  if (next === 'applied') return { next, why };
  const failure: CallFailure = { ...verdict, next };
  if (!(error instanceof BadStatusError)) return failure;
  if (effect.to === 'stop') {
    if (isAlready) return { next: 'applied', why };
    return saysNotGoing(error) ? notGoing(failure) : failure;
  }
  const start = startAnswer(effect, error, { failure, now });
  // A 503 is not believed if a repeat costs nothing: a proxy may have passed the request on.
  return error.status === 503 && gateway.startsRepeatSafely ? { ...start, applied: 'unknown' } : start;
}

function notGoing(failure: CallFailure): CallFailure {
  return { ...failure, next: 'park', isNotGoing: true };
}

/** A refused `startAt` is one that has passed at the gateway, or says that the run is not going. */
function startAnswer(
  { input: { startAt } }: PatchEffect,
  error: BadStatusError,
  { failure, now }: { readonly failure: CallFailure; readonly now: Date },
): CallFailure {
  const { status, date } = error;
  const isOfStartAt = (status === 400 || status === 422) && namesField(error, 'startAt');
  if (!isOfStartAt || startAt === undefined || date === undefined) {
    return saysNotGoing(error) ? notGoing(failure) : failure;
  }
  const gatewayMs = date.getTime() + dateStepMs;
  if (Date.parse(startAt) > gatewayMs) return notGoing(failure);
  return { ...failure, next: 'later', aheadMs: Math.max(0, gatewayMs - now.getTime()) };
}

/** The fields of the body, as a complaint may name them. */
const fields = ['status', 'startAt', 'name', 'preserve'] as const;

function namesField({ details }: BadStatusError, ...names: readonly string[]): boolean {
  return details.fields.some(({ field }) => field.split('.').some((part) => names.includes(part)));
}

/** The `Date` of an answer has whole seconds. */
const dateStepMs = 1000;

/** Whether a refusal says that the run is not going. Only the gateway itself can. A 404 says so after its patience, and of a start alone. */
function saysNotGoing(error: BadStatusError): boolean {
  const { status, speaker } = error;
  if (speaker !== undefined) return false;
  return status === 409 || status === 410 || status === 412 || (status === 422 && !namesField(error, ...fields));
}

/** What a stage that only observes says in place of a request. */
function wouldSend({ campaignRunId, name, preserve, startAt, status }: PatchEffect['input']): string {
  const body = JSON.stringify({ name, preserve, startAt, status });
  return `would have sent: PATCH /backend/v1/campaign-runs/${campaignRunId} ${body}`;
}
