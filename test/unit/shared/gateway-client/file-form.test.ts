import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileForm, openFileForm } from '#shared/gateway-client/index.ts';
import { propertyRuns } from '../../../builders/property-runs.ts';

/** Read by the platform's own parser. */
async function read({ contentType, body }: FileForm) {
  return new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
}

async function fileIn(form: FileForm) {
  const file = (await read(form)).get('file');
  if (!(file instanceof File)) throw new Error('there is no file');
  return { name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) };
}

/** The form of a file that comes in these pieces. */
function fileForm(
  fields: Parameters<typeof openFileForm>[0],
  { name, pieces }: { readonly name: string; readonly pieces: readonly Uint8Array[] },
  newBoundary?: () => string,
): FileForm {
  const form = openFileForm(fields, { name, sizeBytes: Buffer.concat(pieces).length }, newBoundary);
  for (const piece of pieces) form.write(piece);
  return form.end();
}

const file = { name: 'a.csv', pieces: [Buffer.from('prompt,'), Buffer.from('label\n')] };

describe('a form of a dataset', () => {
  it('has a part for each text, none for what is absent, and the file last', async () => {
    const fields = { name: 'Größe, 😀', scannerId: undefined, scannerVersions: ['2026-02', '2026-03'] };

    const form = fileForm(fields, file);

    expect([...(await read(form)).entries()].slice(0, -1)).toEqual([
      ['name', 'Größe, 😀'],
      ['scannerVersions', '2026-02'],
      ['scannerVersions', '2026-03'],
    ]);
    expect(await fileIn(form)).toEqual({ name: 'a.csv', type: 'text/csv', bytes: Buffer.from('prompt,label\n') });
  });

  it('encodes in the name of a file what would end it', async () => {
    const form = fileForm({}, { ...file, name: 'a"; name="x\r\n\r\n.bin' });

    expect(form.body.toString()).toContain('filename="a%22; name=%22x%0D%0A%0D%0A.bin"\r\n');
    expect(await fileIn(form)).toMatchObject({ name: 'a"; name="x\r\n\r\n.bin', type: 'application/octet-stream' });
  });

  it('takes a boundary that occurs neither in a field nor in the file, also across its pieces', async () => {
    const boundaries = ['in-a-field', 'in-the-file', 'in-the-name', 'free'];
    const pieces = [Buffer.from('\r\n--in-the'), Buffer.from('-file--\r\n')];
    const fields = { name: 'x\r\n--in-a-field--' };

    const form = fileForm(fields, { name: 'in-the-name', pieces }, () => boundaries.shift() ?? '');

    expect(form.contentType).toBe('multipart/form-data; boundary=free');
    expect((await fileIn(form)).bytes).toEqual(Buffer.concat(pieces));
  });

  it.each([
    [3, 'the file has 4 bytes, and 3 of them came'],
    [5, 'out of bounds'],
  ])('is none if %i bytes come of a file of 4', (came, problem) => {
    const form = openFileForm({}, { name: 'a.csv', sizeBytes: 4 });

    expect(() => {
      form.write(Buffer.alloc(came));
      form.end();
    }).toThrow(problem);
  });

  it('gives back any bytes, any text and any name of a file', async () => {
    // A name that has one of these three already is read as what it stands for: so HTML has it.
    const name = fc.string({ unit: 'grapheme' }).filter((text) => !/%(?:22|0a|0d)/i.test(text));
    const pieces = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 });
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(name, pieces, texts, async (fileName, parts, scannerVersions) => {
        const form = fileForm({ scannerVersions }, { name: fileName, pieces: parts });

        expect((await read(form)).getAll('scannerVersions')).toEqual(scannerVersions);
        expect(await fileIn(form)).toMatchObject({ name: fileName, bytes: Buffer.concat(parts) });
      }),
      propertyRuns(),
    );
  });
});
