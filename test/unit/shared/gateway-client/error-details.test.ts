import { describe, expect, it } from 'vitest';
import { parseErrorDetails } from '#shared/gateway-client/failures/answer-errors.ts';

const keep = (text: string): string => text;
const read = (value: unknown) => parseErrorDetails({ status: 422, body: Buffer.from(JSON.stringify(value)) }, keep);

describe('parseErrorDetails', () => {
  it('reads the complaints of a 422 by field', () => {
    const details = read({ detail: [{ loc: ['body', 'scannerId'], msg: 'not a uuid', type: 'uuid' }] });

    expect(details.fields).toEqual([{ field: 'body.scannerId', message: 'not a uuid' }]);
  });

  it.each([
    [{ detail: 'missing permission' }, 'missing permission'],
    [{ message: 'no' }, 'no'],
    [{ error: { message: 'inner' } }, 'inner'],
    [{ errors: ['first'] }, 'first'],
  ])('reads %o', (value, message) => {
    expect(read(value).fields).toEqual([{ field: '', message }]);
  });

  it('takes the id of a dataset, and not the id of the error', () => {
    expect(read({ datasetId: 'ds-1' }).datasetId).toBe('ds-1');
    expect(read({ dataset: { id: 'ds-2' } }).datasetId).toBe('ds-2');
    expect(read({ id: 'error-4711' }).datasetId).toBeUndefined();
  });

  it('keeps at most 2 KB, on one line', () => {
    const details = parseErrorDetails(
      { status: 422, body: Buffer.from(`a\r\nlevel=error b\u0000\u202e${'ü'.repeat(3000)}`) },
      keep,
    );

    expect(details.text).toMatch(/^a\\r\\nlevel=error b\\u0000\\u202eü+$/);
    expect(Buffer.byteLength(details.text)).toBeLessThanOrEqual(2048);
  });
});
