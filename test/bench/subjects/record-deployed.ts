import { pathToFileURL } from 'node:url';
import { stopEvent } from '../measure/deployed-function.ts';
import type { Prepare } from '../measure/subject.ts';

const context = { awsRequestId: 'bench-1', functionName: 'bench', getRemainingTimeInMillis: () => 30_000 };

/**
 * update-campaign-runs as it is uploaded, with the clients of AWS; its environment is the
 * process's.
 */
export const prepare: Prepare = async ({ batch = 10, bundle = '' }) => {
  const { handler } = (await import(pathToFileURL(bundle).href)) as {
    handler: (event: object, invocation: typeof context) => Promise<unknown>;
  };
  return {
    async run(times) {
      for (let done = 0; done < times; done += batch) {
        const answer = JSON.stringify(await handler(stopEvent(batch), context));
        if (answer !== '{"batchItemFailures":[]}') throw new Error(`a record came back: ${answer}`);
      }
    },
  };
};
