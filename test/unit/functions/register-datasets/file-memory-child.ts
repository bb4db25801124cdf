import { mostFileBytes } from '#shared/config/schema/dataset-rule-schema.ts';
import { createUploadBench, fileRule } from './upload-bench.ts';

const bench = createUploadBench({
  rules: [fileRule, { ...fileRule, prefix: 'datasets/raw/', check: 'none', file: { maxBytes: mostFileBytes } }],
});

/** Two million rows and more: nothing that a check takes needs more memory. */
const header = Buffer.from('prompt,label\nb,0\n');
const unit = 'a,1\n'.repeat(16_384);
const checkedBytes = header.length + Math.floor((10_000_000 - header.length) / unit.length) * unit.length;

async function* file(isChecked: boolean): AsyncGenerator<Uint8Array> {
  if (isChecked) yield header;
  const end = isChecked ? checkedBytes : mostFileBytes;
  for (let size = isChecked ? header.length : 0; size < end; size += unit.length) {
    yield Buffer.from(unit).subarray(0, end - size);
  }
}

const { open } = bench.deps.objects;
bench.deps.objects = {
  ...bench.deps.objects,
  async open(version) {
    const opened = await open(version);
    return opened && { ...opened, pieces: file(version.key.includes('/pii/')) };
  },
};

// Each is on its way until all are: five at once, as the function has them.
const allPosted = Promise.withResolvers<void>();
bench.faults.gateway = async () => {
  if (bench.posts.length === 5) allPosted.resolve();
  await allPosted.promise;
  return { id: 'dataset-1' };
};
const keys = ['raw/1.bin', 'raw/2.bin', 'raw/3.bin', 'raw/4.bin', 'pii/rows.csv'];
const bodies = keys.map((name, index) =>
  bench.put({ key: `datasets/${name}`, versionId: `v${index}`, sizeBytes: index < 4 ? mostFileBytes : checkedBytes }),
);
const results = await Promise.all(bodies.map(async (body) => bench.deliver(body)));
const outcomes = results.flatMap(({ outcomes: all = [] }) => all.map(({ kind, detail = '' }) => `${kind} ${detail}`));
const sentBytes = bench.posts.reduce((sum, { form }) => sum + (form?.body.length ?? 0), 0);
process.stdout.write(JSON.stringify({ outcomes, sentBytes, mostMb: process.resourceUsage().maxRSS / 1024 }));
