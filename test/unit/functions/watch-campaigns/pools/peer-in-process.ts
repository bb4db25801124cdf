/** The strict peer without HTTP: its own routes, asked by the operations of our client. */
import { type Call, operationsOf } from '#shared/gateway-client/client.ts';
import { queryString, checkAnswer } from '#shared/gateway-client/operation.ts';
import { parseErrorDetails } from '#shared/gateway-client/failures/error-details.ts';
import { BadStatusError, ConnectionLostError } from '#shared/gateway-client/index.ts';
import { type Behaviour, type Fault, usualBehaviour } from '../../../../peer/behaviour.ts';
import type { PeerRequest } from '../../../../peer/request.ts';
import { answerTo } from '../../../../peer/routes.ts';
import { settle } from '../../../../peer/run-life.ts';
import type { PeerState } from '../../../../peer/state.ts';

const methods = { get: 'GET', patch: 'PATCH', post: 'POST' } as const;

/** What a test does to a request; beside those of the peer one that never arrives. */
export type LocalFault = Fault | { readonly kind: 'lose-request' };

/** A peer with the clock of a test, and our client of it. */
export function peerInProcess(
  now: () => Date,
  given: Partial<Behaviour> = {},
  faultOf: (request: PeerRequest) => LocalFault | undefined = () => undefined,
) {
  const behaviour: Omit<Behaviour, 'faultOf'> & { faultOf: (request: PeerRequest) => LocalFault | undefined } = {
    ...usualBehaviour(),
    ...given,
    faultOf,
  };
  const clock = () => new Date(now().getTime() + behaviour.aheadMs);
  const state: PeerState = {
    behaviour: { ...behaviour, faultOf: () => undefined },
    now: clock,
    runs: new Map(),
    datasets: new Map(),
    effects: [],
  };
  const requests: PeerRequest[] = [];

  /** The answer of the peer, or of the fault. */
  function answered(request: PeerRequest): { readonly status: number; readonly text: string } {
    requests.push(request);
    const fault = behaviour.faultOf(request);
    const lost = new ConnectionLostError(request.method, undefined);
    if (fault?.kind === 'lose-request') throw lost;
    settle(state);
    const { status, body } = fault?.kind === 'answer' ? { body: {}, ...fault } : answerTo(state, request);
    if (fault?.kind === 'lose-answer') throw lost;
    return { status, text: typeof body === 'string' ? body : JSON.stringify(body) };
  }

  const call: Call = (operation) => async (input) => {
    const { value = '', query = {}, body } = operation.ask(input);
    const { status, text } = answered({
      method: methods[operation.verb],
      path: operation.path.replace(/\{\w+\}/, () => value),
      query: new URLSearchParams(queryString(query)),
      headers: {},
      body: body === undefined ? { kind: 'none' } : { kind: 'json', value: JSON.parse(JSON.stringify(body)) },
      isAuthorized: true,
    });
    const date = clock();
    if (status !== 200) {
      const details = parseErrorDetails({ status, body: Buffer.from(text) }, (words) => words);
      throw new BadStatusError(operation.name, { status, details, date });
    }
    const checked = checkAnswer(operation, input, { body: JSON.parse(text), date });
    if ('value' in checked) return checked.value;
    throw new Error(checked.problems.join('; '));
  };
  return { gateway: operationsOf(call), state, behaviour, requests };
}
