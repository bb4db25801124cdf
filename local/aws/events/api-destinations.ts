import { resourcesOfType } from '../../template/cloud-assembly.ts';
import type { AwsStage } from '../services/aws-stage.ts';

/** "API destinations request a maximum client execution timeout of 5 seconds" (API destinations, EventBridge User Guide). */
const timeoutMs = 5_000;

/**
 * EventBridge's API destinations. On AWS each calls its own address, for a day; here all call one
 * program on this machine, once.
 * @param url - stands for every destination, whose name is added to its path; absent: nothing is
 *   sent
 * @returns begins a call of the destination with this ARN; throws if there is none
 */
export function openApiDestinations(
  { assembly, log }: Pick<AwsStage, 'assembly' | 'log'>,
  url: string | undefined,
): (arn: string, json: string) => void {
  const destinations = resourcesOfType(assembly, 'AWS::Events::ApiDestination');
  if (url !== undefined && destinations.length === 0)
    log('--webhooks is not called: the configuration names no webhook (notify.webhooks)');
  return (wanted, json) => {
    const name = destinations.find(({ arn }) => arn === wanted)?.name;
    if (name === undefined) throw new Error('there is no such target');
    if (url === undefined) return log(`webhook ${name} is not called here: start with --webhooks URL to call one`);
    void post(`${url.replace(/\/$/, '')}/${name}`, json).then(
      (status) => (status < 300 ? undefined : log(`webhook ${name} took nothing: the answer was ${status}`)),
      (error: unknown) => log(`webhook ${name} took nothing: ${String(error)}`),
    );
  };
}

async function post(address: string, body: string): Promise<number> {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const signal = AbortSignal.timeout(timeoutMs);
  const answer = await fetch(address, { method: 'POST', headers, body, redirect: 'manual', signal });
  await answer.body?.cancel();
  return answer.status;
}
