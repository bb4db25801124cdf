import type { Prepare } from '../../measure/subject.ts';
import { change, changeHeaders, changePath } from '../change.ts';

/** The global fetch. */
export const prepare: Prepare = async ({ origin }) => ({
  async run(times) {
    for (let call = 0; call < times; call += 1) {
      const answer = await fetch(`${origin}${changePath}`, {
        method: 'PATCH',
        headers: changeHeaders,
        body: JSON.stringify({ status: change.status }),
      });
      await answer.json();
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    }
  },
});
