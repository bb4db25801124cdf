import type { UploadDeps } from '#functions/register-datasets/upload.ts';

/** The worst moments at which the worker of an upload can be killed, in the order of its work. */
export type KillPoint = 'after_sending_mark' | 'after_request_written' | 'after_answer' | 'after_outcome';

/**
 * Parts whose worker is killed at a point.
 * @param die - ends the process
 * @param requestArrived - until the gateway holds the whole request
 */
export function killedAt(
  point: KillPoint | undefined,
  die: () => never,
  { deps, requestArrived }: { readonly deps: UploadDeps; readonly requestArrived: () => Promise<void> },
): UploadDeps {
  const passing = (here: KillPoint): void => {
    if (here === point) die();
  };
  return {
    ...deps,
    ledger: {
      ...deps.ledger,
      async write(before, after) {
        const written = await deps.ledger.write(before, after);
        if (after.kind === 'upload') passing(after.state === 'SENDING' ? 'after_sending_mark' : 'after_outcome');
        return written;
      },
    },
    gatewayWithin(functionMs) {
      const { gateway, callBudgetMs } = deps.gatewayWithin(functionMs);
      const createDataset: typeof gateway.createDataset = async (input) => {
        const answer = gateway.createDataset(input);
        if (point === 'after_request_written') await requestArrived();
        await Promise.allSettled([answer]);
        passing('after_answer');
        return answer;
      };
      return { gateway: { createDataset }, callBudgetMs };
    },
  };
}
