import { Pool } from 'undici';
import type { Prepare } from '../../measure/subject.ts';
import { change, changeHeaders, changePath } from '../change.ts';

/** The yardstick: undici's own call, keep-alive, the answer read as JSON. */
export const prepare: Prepare = async ({ origin }) => {
  const pool = new Pool(origin);
  return {
    async run(times) {
      for (let call = 0; call < times; call += 1) {
        const { statusCode, body } = await pool.request({
          method: 'PATCH',
          path: changePath,
          headers: changeHeaders,
          body: JSON.stringify({ status: change.status }),
        });
        await body.json();
        if (statusCode !== 200) throw new Error(`status ${statusCode}`);
      }
    },
  };
};
