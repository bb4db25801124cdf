import { Agent } from 'node:http';
import got from 'got';
import { change, changeHeaders, changePath } from '../subjects/change.ts';

/** got, keep-alive, without its retries. */
export async function prepare({ origin }) {
  const client = got.extend({
    prefixUrl: origin,
    agent: { http: new Agent({ keepAlive: true }) },
    headers: changeHeaders,
    retry: { limit: 0 },
  });
  return {
    async run(times) {
      for (let call = 0; call < times; call += 1) {
        await client.patch(changePath.slice(1), { json: { status: change.status } }).json();
      }
    },
  };
}
