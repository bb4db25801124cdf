import { Pool } from 'undici';
import type { Prepare } from '../measure/subject.ts';
import { changeHeaders } from './change.ts';

/** The yardstick: every page by undici's own call, read by JSON.parse, and forgotten. */
export const prepare: Prepare = async ({ origin, pages = 1000 }) => {
  const pool = new Pool(origin);
  return {
    async run(times) {
      for (let walk = 0; walk < times; walk += 1) await walkOnce(pool, pages);
    },
  };
};

async function walkOnce(pool: Pool, pages: number): Promise<void> {
  const { 'content-type': _, ...headers } = changeHeaders;
  let seen = 0;
  for (let cursor: string | null = ''; cursor !== null; seen += 1) {
    const query = new URLSearchParams({ search: String(pages), limit: '100', sortBy: 'created_at', ascending: 'true' });
    if (cursor !== '') query.set('cursor', cursor);
    const { body } = await pool.request({
      method: 'GET',
      path: `/backend/v1/scanner-packages?${query.toString()}`,
      headers,
    });
    const page = JSON.parse(await body.text()) as { next: string | null; packages: readonly unknown[] };
    if (page.packages.length !== 100) throw new Error('a page that is not full');
    cursor = page.next;
  }
  if (seen !== pages) throw new Error(`${seen} of ${pages} pages`);
}
