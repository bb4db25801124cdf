import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileForm, fileForm } from '#shared/gateway-client/index.ts';
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

const file = { name: 'a.csv', content: Buffer.from('prompt,label\n') };

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

  it('gives back any bytes, any text and any name of a file', async () => {
    // A name that has one of these three already is read as what it stands for: so HTML has it.
    const name = fc.string({ unit: 'grapheme' }).filter((text) => !/%(?:22|0a|0d)/i.test(text));
    const bytes = fc.uint8Array({ maxLength: 1000 });
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(name, bytes, texts, async (fileName, content, scannerVersions) => {
        const form = fileForm({ scannerVersions }, { name: fileName, content });

        expect((await read(form)).getAll('scannerVersions')).toEqual(scannerVersions);
        expect(await fileIn(form)).toMatchObject({ name: fileName, bytes: Buffer.from(content) });
      }),
      propertyRuns(),
    );
  });
});
