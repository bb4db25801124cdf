import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectCreatedMessage } from '#shared/uploads/object-key.ts';
import { parseObjectEvents } from '#shared/uploads/object-events.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';
import { anyCharacter } from '../../../builders/hostile-texts.ts';

const version = {
  bucket: 'uploads',
  versionId: 'v1',
  etag: 'e1',
  sizeBytes: 12,
  eventTime: '2026-11-20T10:00:00.000Z',
};

/** Whatever S3 takes as a key: 1 to 1024 bytes of UTF-8. */
const keys = fc
  .oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 300 }),
    fc.string({
      unit: fc.constantFrom('%', '+', ' ', '/', '2', 'F', 'é', '\n', '\u0001', '"', '~', '(', '\u2028'),
      minLength: 1,
    }),
  )
  .filter((key) => key.isWellFormed() && Buffer.byteLength(key) <= 1024);

test('the worker reads out of it the very object version that went in, whatever its key', () => {
  fc.assert(
    fc.property(keys, (key) => {
      const parsed = parseObjectEvents(objectCreatedMessage({ ...version, key }));

      const { versionId, eventTime, bucket, etag, sizeBytes } = version;
      expect(parsed).toEqual({
        kind: 'records',
        records: [
          { kind: 'created', bucket, key, versionId, versionKey: versionId, etag, sizeBytes, sequencer: '', eventTime },
        ],
      });
    }),
    propertyRuns(),
  );
});
