import * as z from 'zod';
import { decodeObjectKey } from './object-key.ts';

/** An object version that was created: what an upload is. */
export interface ObjectCreated {
  readonly kind: 'created';
  readonly bucket: string;
  /** Decoded. */
  readonly key: string;
  /** Absent if the bucket keeps no versions. */
  readonly versionId?: string;
  /** For ledger keys: the version id, or a weak stand-in of etag, size and sequencer. */
  readonly versionKey: string;
  /** Without the quotes of HTTP. */
  readonly etag: string;
  readonly sizeBytes: number;
  readonly sequencer: string;
  /** RFC 3339 in UTC. */
  readonly eventTime: string;
}

/** One record of an S3 event, read as far as it can be. */
export type ObjectEvent =
  | ObjectCreated
  /** Removed, restored, replicated: no upload. `key` is decoded if it can be. */
  | { readonly kind: 'other'; readonly eventName: string; readonly bucket: string; readonly key: string }
  /** An object was created, but its key cannot be decoded. */
  | { readonly kind: 'bad-key'; readonly bucket: string; readonly rawKey: string }
  /** No record of S3 (`FOREIGN_EVENT`), or one that lacks what it must have (`BAD_MESSAGE`). */
  | { readonly kind: 'bad-record'; readonly reason: 'BAD_MESSAGE' | 'FOREIGN_EVENT'; readonly detail: string };

/** The body of a message that S3 is expected to have sent. */
export type ParsedObjectEvents =
  /** What S3 sends once when the notification is set up. */
  | { readonly kind: 'test-event' }
  | { readonly kind: 'bad'; readonly detail: string }
  | { readonly kind: 'records'; readonly records: readonly ObjectEvent[] };

const s3Source = 'aws:s3';

/** S3 sends one record in a message. A sentence about each of very many could fill the memory. */
const mostRecords = 1_000;

const envelope = z.object({ Event: z.string().optional(), Records: z.array(z.unknown()).optional() });

const anyRecord = z.object({
  eventSource: z.string(),
  eventName: z.string(),
  s3: z.object({
    bucket: z.object({ name: z.string().min(1) }),
    object: z.object({ key: z.string() }),
  }),
});

const createdRecord = z.object({
  eventTime: z.iso.datetime({ offset: true }).refine((text) => !Number.isNaN(Date.parse(text)), 'is no instant'),
  s3: z.object({
    object: z.object({
      size: z.number().int().nonnegative(),
      eTag: z.string().default(''),
      sequencer: z.string().default(''),
      // The ledger's key is a digest over parts that NUL separates.
      versionId: z
        .string()
        .refine((text) => !text.includes('\u0000'), 'holds NUL')
        .nullish(),
    }),
  }),
});

/**
 * Reads the body of a message that an S3 bucket sent. Total: any text gives an answer, and one bad
 * record leaves its neighbours alone.
 */
export function parseObjectEvents(body: string): ParsedObjectEvents {
  let input: unknown;
  try {
    input = JSON.parse(body);
  } catch {
    return { kind: 'bad', detail: 'the message is not JSON' };
  }
  const parsed = envelope.safeParse(input);
  if (!parsed.success) return { kind: 'bad', detail: `the message is no S3 event: ${problemsOf(parsed.error)}` };
  if (parsed.data.Records === undefined) {
    return parsed.data.Event === 's3:TestEvent'
      ? { kind: 'test-event' }
      : { kind: 'bad', detail: `the message is no S3 event: ${envelopeOf(input) ?? 'it has no Records'}` };
  }
  if (parsed.data.Records.length === 0) return { kind: 'bad', detail: 'the message is an S3 event without records' };
  if (parsed.data.Records.length > mostRecords)
    return { kind: 'bad', detail: `the message is an S3 event of more than ${mostRecords} records` };
  return { kind: 'records', records: parsed.data.Records.map(parseRecord) };
}

const snsMessage = z.object({ Type: z.literal('Notification'), TopicArn: z.string() });
const busEvent = z.object({ 'detail-type': z.string(), source: z.literal('aws.s3') });

/** Names what an event of S3 was wrapped in on its way, and the setting that takes it away. */
function envelopeOf(input: unknown): string | undefined {
  if (snsMessage.safeParse(input).success)
    return 'it came through SNS: set RawMessageDelivery on the subscription of the queue';
  if (busEvent.safeParse(input).success)
    return 'it came through EventBridge: send the notifications of the bucket to the queue itself';
  return undefined;
}

function parseRecord(input: unknown, index: number): ObjectEvent {
  const base = anyRecord.safeParse(input);
  if (!base.success) return badRecord(index, problemsOf(base.error));
  const { eventSource, eventName, s3 } = base.data;
  const bucket = s3.bucket.name;
  const rawKey = s3.object.key;
  if (eventSource !== s3Source) {
    return {
      kind: 'bad-record',
      reason: 'FOREIGN_EVENT',
      detail: `record ${index + 1}: its source is not ${s3Source}`,
    };
  }

  const key = decodeObjectKey(rawKey);
  if (!/^(?:s3:)?ObjectCreated:/.test(eventName)) return { kind: 'other', eventName, bucket, key: key ?? rawKey };
  if (key === undefined) return { kind: 'bad-key', bucket, rawKey };
  const created = createdRecord.safeParse(input);
  if (!created.success) return badRecord(index, problemsOf(created.error));
  return createdObject({ bucket, key }, created.data);
}

function createdObject(
  where: { readonly bucket: string; readonly key: string },
  record: z.output<typeof createdRecord>,
): ObjectCreated {
  const { size, eTag, sequencer, versionId } = record.s3.object;
  const etag = eTag.replaceAll('"', '');
  // Suspended versioning says "null": every such version of a key would share one ledger row.
  const hasVersion = versionId !== undefined && versionId !== null && versionId !== '' && versionId !== 'null';
  return {
    kind: 'created',
    ...where,
    versionId: hasVersion ? versionId : undefined,
    versionKey: hasVersion ? versionId : `weak:${etag}:${size}:${sequencer}`,
    etag,
    sizeBytes: size,
    sequencer,
    eventTime: new Date(record.eventTime).toISOString(),
  };
}

function badRecord(index: number, problems: string): ObjectEvent {
  return { kind: 'bad-record', reason: 'BAD_MESSAGE', detail: `record ${index + 1}: ${problems}` };
}

/** Where and what, never the values: they are text of others. */
function problemsOf(error: z.ZodError): string {
  return error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'document'}: ${issue.message}`)
    .join('; ');
}

/**
 * Uploads of one batch that are under way together: a batch of ten takes two turns, and a process
 * that dies takes five along.
 */
export const uploadsAtOnce = 5;
