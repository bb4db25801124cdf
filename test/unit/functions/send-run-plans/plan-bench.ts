import { handlePlanMessage } from '#functions/send-run-plans/handle-plan-message.ts';
import type { SendPlanDeps } from '#functions/send-run-plans/send-plan.ts';
import type { RecordResult } from '#functions/_handler/record-result.ts';
import { createMemoryLedger } from '#shared/ledger/memory-ledger.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { expectDocumented } from '../../../builders/documented-event.ts';

/**
 * The worker with a ledger, a bucket, a queue and a bus in memory; any effect may be made to fail.
 */
export function createPlanBench(config: Partial<SendPlanDeps['config']> = {}) {
  const ledger = createMemoryLedger();
  const objects = new Map<string, string>();
  const commands: CampaignRunCommand[] = [];
  const events: { readonly type: string; readonly detail: Readonly<Record<string, unknown>> }[] = [];
  const logged: string[] = [];
  let reads = 0;
  let failAt: { readonly effect: number; readonly when: 'before' | 'after' } | undefined;
  let effects = 0;
  let deliveries = 0;
  let failingReads = 0;
  let deadlyKey: string | undefined;
  let isDead = false;

  async function effect<Result>(make: () => Promise<Result>): Promise<Result> {
    if (isDead) throw new Error('killed');
    effects += 1;
    const isHere = effects === failAt?.effect;
    if (isHere && failAt?.when === 'before') throw new Error('died before');
    const result = await make();
    if (isHere) throw new Error('died after');
    return result;
  }

  const line = (event: string) => void logged.push(event);
  const deps: SendPlanDeps = {
    bucket: 'ours',
    config: { stage: 'test', mode: 'act', runNames: ['smoke', 'nightly'], ...config },
    ledger: { ...ledger, write: (before, after) => effect(() => ledger.write(before, after)) },
    objects: {
      async read({ key, versionId }) {
        reads += 1;
        if (isDead || key === deadlyKey) {
          isDead = true;
          throw new Error('killed');
        }
        if (failingReads > 0) {
          failingReads -= 1;
          throw new Error('no bucket');
        }
        const text = objects.get(`${key}@${versionId}`);
        return text === undefined ? undefined : Buffer.from(text);
      },
    },
    commands: { send: (body) => effect(async () => void commands.push(JSON.parse(body))) },
    bus: {
      publish: (type, detail) => {
        expectDocumented(type, detail);
        return effect(async () => void events.push({ type, detail }));
      },
    },
    random: () => 0.5,
  };

  return {
    ledger,
    commands,
    events,
    logged,
    reads: () => reads,
    put: (key: string, versionId: string, content: unknown) =>
      void objects.set(`${key}@${versionId}`, typeof content === 'string' ? content : JSON.stringify(content)),
    remove: (key: string, versionId: string) => void objects.delete(`${key}@${versionId}`),
    failReads: (times: number) => {
      failingReads = times;
    },
    /**
     * The next delivery dies when it reads this object: nothing that it does from then on has an
     * effect.
     */
    killWhileReading: (key: string) => {
      deadlyKey = key;
    },
    /** The nth effect from now on fails, once. */
    failEffect: (nth: number, when: 'before' | 'after') => {
      failAt = { effect: effects + nth, when };
    },
    async deliver(body: string, messageId = 'm1', hoursLater = 0): Promise<RecordResult> {
      deliveries += 1;
      const now = new Date(Date.parse('2026-11-20T22:00:02Z') + hoursLater * 3_600_000);
      isDead = false;
      const result = await handlePlanMessage(
        {
          messageId,
          body,
          receiveCount: deliveries,
          sentAt: new Date('2026-11-20T22:00:01Z'),
          queueArn: 'arn:aws:sqs:eu-west-1:000000000000:plans',
        },
        {
          log: { debug: line, info: line, warn: line, error: line },
          now: () => now,
          remainingMs: () => 120_000,
          attemptId: `attempt-${deliveries}`,
        },
        deps,
      );
      deadlyKey = undefined;
      return result;
    },
  };
}

/** What the record of an S3 event is about. */
interface EventFacts {
  readonly bucket?: string;
  readonly key?: string;
  readonly versionId?: string;
  readonly size?: number;
  readonly eventName?: string;
  readonly eventTime?: string;
  readonly eventSource?: string;
}

/** One record of an S3 event; the key as it is in the bucket. */
export function s3Record(facts: EventFacts = {}) {
  return {
    eventSource: facts.eventSource ?? 'aws:s3',
    eventName: facts.eventName ?? 'ObjectCreated:Put',
    eventTime: facts.eventTime ?? '2026-11-20T22:00:00.000Z',
    s3: {
      bucket: { name: facts.bucket ?? 'ours' },
      object: {
        key: encodeURIComponent(facts.key ?? 'run-plans/evening.json'),
        size: facts.size ?? 100,
        eTag: 'e',
        sequencer: '0A',
        versionId: facts.versionId ?? 'v1',
      },
    },
  };
}

/** The body of a message with these records. */
export function s3Event(...records: readonly unknown[]): string {
  return JSON.stringify({ Records: records.length === 0 ? [s3Record()] : records });
}

/** A plan of these commands. */
export function aPlan(...commands: readonly unknown[]) {
  return { version: 1, commands };
}
