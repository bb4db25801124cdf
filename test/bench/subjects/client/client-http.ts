import { Agent, request } from 'node:http';
import type { Prepare } from '../../measure/subject.ts';
import { change, changeHeaders, changePath } from '../change.ts';

/** Node's own client, keep-alive. */
export const prepare: Prepare = async ({ origin }) => {
  const agent = new Agent({ keepAlive: true });
  const url = new URL(changePath, origin);
  return {
    async run(times) {
      for (let call = 0; call < times; call += 1) await patch(url, agent);
    },
  };
};

async function patch(url: URL, agent: Agent): Promise<unknown> {
  const text = JSON.stringify({ status: change.status });
  return new Promise((resolve, reject) => {
    const headers = { ...changeHeaders, 'content-length': Buffer.byteLength(text) };
    const sent = request(url, { method: 'PATCH', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(text);
  });
}
