import { classifyFailure, GatewayError } from '#shared/gateway-client/index.ts';
import type { Gate } from '../_gateway/gate.ts';

/**
 * One read of the gateway, and what it says to the gate. `undefined`: the gateway asked for a
 * pause, which is no error of the look.
 * @param about - the row that it is for
 * @throws any other failure
 */
export async function askGateway<Answer extends object>(
  about: string,
  read: () => Promise<Answer>,
  { gate }: { readonly gate: Gate },
): Promise<Answer | undefined> {
  try {
    const answer = await read();
    await gate.answered();
    return answer;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const verdict = classifyFailure('get', error);
    await gate.failed(verdict, about);
    if (verdict.pauseMs !== undefined) return undefined;
    throw error;
  }
}
