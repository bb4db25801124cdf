import { afterAll, expect, test } from 'vitest';
import type * as z from 'zod';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import { tickAnswer } from '#shared/messages/questions.ts';
import { datasetsOf } from '../harness/control-data.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';

let areNotificationsLost = false;
const lines: string[] = [];
const it = await openInProcessStage({
  onLine: (line) => void lines.push(line),
  authorityFor: (assembly, key) => losingNotifications(createAuthority(assembly, key)),
});
afterAll(it.close);

/**
 * As a queue policy that a person tightened: the bucket announces nothing, and the put says that
 * all is well.
 */
function losingNotifications(authority: Authority): Authority {
  return {
    ...authority,
    authorize(request) {
      const isNotification = request.caller.kind === 'service' && request.caller.service === 's3.amazonaws.com';
      if (areNotificationsLost && isNotification) return { allowed: false, message: 'the queue policy says no' };
      return authority.authorize(request);
    },
  };
}

async function reconcile(): Promise<z.infer<typeof tickAnswer>> {
  // The tick of its schedule may be under way.
  return until('a tick of the reconciler', async () => {
    const { payload } = await it.invoke('reconcile-ledger', { tick: 'reconcile-ledger' });
    const answer = tickAnswer.parse(JSON.parse(payload));
    return !answer.summary.includes('under way') && answer;
  });
}

/** The lines under one name that are about a key. */
const logged = (event: string, key: string) =>
  lines.filter((line) => line.includes(`"event":"${event}"`) && line.includes(JSON.stringify(key)));
const outcomesOf = (key: string) => [...logged('outcome', key), ...logged('dataset_created', key)];

test('[D9] a lost notification is found: the upload is registered once', async () => {
  await reconcile();
  areNotificationsLost = true;
  const upload = 'datasets/pii/lost + found (é).csv';
  await it.aws.put(upload, 'prompt,label\nMy number is 12.,true\nWhat is one plus one?,false\n');
  areNotificationsLost = false;
  const early = await reconcile();

  it.clock.moveForward(16 * 60_000);
  await reconcile();
  await until('its outcome', async () => outcomesOf(upload).length > 0);
  it.clock.moveForward(25 * 60 * 60_000);
  const allThere = await reconcile();

  expect(early).toMatchObject({ found: 0 });
  expect((await datasetsOf(it)).map(({ name }) => name)).toEqual(['lost + found (é)']);
  expect(outcomesOf(upload)).toHaveLength(1);
  expect(logged('upload_found', upload)).toHaveLength(1);
  // A day later everything of the last 30 days is compared again.
  expect(allThere).toMatchObject({ found: 0, listed: 1 });
});
