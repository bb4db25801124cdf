/** Empties the pools of a stage before it is destroyed. The watcher does it: no operator calls the gateway. */
import * as z from 'zod';
import { stageSwitch } from '#shared/ledger/switches.ts';
import { deployedFunctionName } from '#shared/vocabulary/resource-names.ts';
import { OperatorError } from '../errors.ts';
import { jsonIn } from '#shared/text/json-in.ts';
import type { OperatorDeps } from '../stage/operator-deps.ts';
import { switchTo } from '../switches/switches.ts';

const drainedPool = z.object({
  run: z.string(),
  mark: z.string(),
  ids: z.array(z.string()),
  isDone: z.boolean(),
  mayHaveMore: z.boolean(),
});
const drainAnswer = z.object({ pools: z.array(drainedPool) });

/** A pool, and what is left of it at the gateway. */
export type DrainedPool = z.infer<typeof drainedPool>;

/** An unanswered request is listed after five minutes; a pool of 50 takes two. */
const longestMs = 15 * 60_000;
const betweenMs = 20_000;

/**
 * Freezes the stage and has the watcher cancel every unused run, until none is left or the time is up.
 * @throws OperatorError if the watcher fails
 */
export async function drainPools(deps: OperatorDeps): Promise<readonly DrainedPool[]> {
  const watcher = deployedFunctionName(deps.target.stage, 'watch-campaigns');
  await switchTo(stageSwitch, { isOn: true, reason: 'autopilot drain: unused runs are cancelled' }, deps);
  const startedMs = deps.elapsedMs();
  for (;;) {
    const { payload, functionError } = await deps.stage.invoke(
      watcher,
      JSON.stringify({ tick: 'watch-campaigns', drain: true }),
    );
    const answer = drainAnswer.safeParse(jsonIn(payload));
    if (functionError !== undefined || !answer.success) {
      throw new OperatorError(`watch-campaigns did not empty the pools: ${payload.slice(0, 300)}`, {
        code: 'NO_ANSWER',
      });
    }
    const { pools } = answer.data;
    const left = pools.filter(({ isDone }) => !isDone);
    if (left.length === 0 || deps.elapsedMs() - startedMs > longestMs || deps.interruption().aborted) return pools;
    deps.progress(
      `unused runs are being cancelled: ${left.map(({ run, ids }) => `${ids.length} of ${run}`).join(', ')}`,
    );
    await deps.wait(betweenMs);
  }
}
