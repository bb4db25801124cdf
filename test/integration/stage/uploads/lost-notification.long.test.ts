import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import { tickAnswer } from '#shared/messages/questions.ts';
import { type InProcessStage, openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';

let it: InProcessStage;
let areNotificationsLost = false;
const lines: string[] = [];

beforeAll(async () => {
  it = await openInProcessStage({
    stageName: 'local',
    onLine: (line) => void lines.push(line),
    authorityFor: (assembly, key) => losingNotifications(createAuthority(assembly, key)),
  });
});

afterAll(async () => it.close());

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
    return answer.summary.includes('under way') ? undefined : answer;
  });
}

const registered = z.object({ datasets: z.array(z.object({ name: z.string() })) });

async function namesThere(): Promise<string[]> {
  const answer = await fetch(`${it.gateway.url}/_control/datasets`);
  return registered.parse(await answer.json()).datasets.map(({ name }) => name);
}

const logLine = z.looseObject({ event: z.string(), subject: z.string().optional(), key: z.string().optional() });

/** Of every function, the lines under one name. */
function logged(event: string): z.infer<typeof logLine>[] {
  return lines
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => logLine.parse(JSON.parse(line)))
    .filter((line) => line.event === event);
}

function outcomesOf(key: string): unknown[] {
  const isOfKey = ({ subject, key: ofUpload }: z.infer<typeof logLine>) => subject === key || ofUpload === key;
  return [...logged('outcome'), ...logged('dataset_created')].filter(isOfKey);
}

const levels = z.looseObject({ service: z.literal('reconcile-ledger'), ParkedOpen: z.number() });

test('what waits for a person is measured at each tick, as a whole and by its reason', async () => {
  const bad = 'datasets/pii/bad.csv';
  await it.aws.put(bad, 'nothing');
  await until('the upload to be parked', async () => (outcomesOf(bad).length > 0 ? true : undefined));
  lines.length = 0;

  await reconcile();

  const measured = lines
    .filter((line) => line.startsWith('{"_aws"'))
    .map((line) => levels.safeParse(JSON.parse(line)).data)
    .filter((level) => level !== undefined)
    .map(({ ParkedOpen, reason, OldestOpenSeconds }) => ({ ParkedOpen, reason, OldestOpenSeconds }));
  expect(measured).toContainEqual({ ParkedOpen: 1, reason: 'CHECK_FAILED', OldestOpenSeconds: undefined });
  expect(measured).toContainEqual({ ParkedOpen: 1, reason: undefined, OldestOpenSeconds: 0 });
});

// Last, since its clock jumps past the horizon of what else is under way.
test('[D9] a lost notification is found: the upload is registered once', async () => {
  await reconcile();
  areNotificationsLost = true;
  const upload = 'datasets/pii/lost + found (é).csv';
  await it.aws.put(upload, 'prompt,label\nMy number is 12.,true\nWhat is one plus one?,false\n');
  areNotificationsLost = false;
  const early = await reconcile();

  it.clock.moveForward(16 * 60_000);
  await reconcile();
  await until('its outcome', async () => (outcomesOf(upload).length > 0 ? true : undefined));
  it.clock.moveForward(25 * 60 * 60_000);
  const allThere = await reconcile();

  expect(early).toMatchObject({ found: 0 });
  expect(await namesThere()).toEqual(['lost + found (é)']);
  expect(outcomesOf(upload)).toHaveLength(1);
  expect(logged('upload_found').map(({ key }) => key)).toEqual([upload]);
  // A day later everything of the last 30 days is compared again.
  expect(allThere).toMatchObject({ found: 0, listed: 2 });
});
