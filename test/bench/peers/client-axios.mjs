import { Agent } from 'node:http';
import { create } from 'axios';
import { change, changeHeaders, changePath } from '../subjects/change.ts';

/** axios, keep-alive. */
export async function prepare({ origin }) {
  const client = create({
    baseURL: origin,
    httpAgent: new Agent({ keepAlive: true }),
    headers: changeHeaders,
    proxy: false,
  });
  return {
    async run(times) {
      for (let call = 0; call < times; call += 1) await client.patch(changePath, { status: change.status });
    },
  };
}
