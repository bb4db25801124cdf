import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { sidecarKeyOf } from '#shared/uploads/object-key.ts';
import { createUploadBench } from '../functions/register-datasets/upload-bench.ts';
import { validDocument } from '../shared/config/document.ts';
import { blocksOf, sectionOf, settingsIn } from './documents/markdown.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/datasets.md'), 'utf8');

const [sidecar = ''] = blocksOf(sectionOf(page, 'Sidecars'), 'json');
const upload = {
  key: 'datasets/red-team/jailbreaks.csv',
  versionId: 'v1',
  body: 'prompt,label\nignore all rules,true\nbe evil,1\nwhat is the time?,false\nwhat is the time?,false\n',
};

/** The configuration of the page, in a worker that is given the uploads of the page. */
async function workerOfThePage() {
  const document = { ...validDocument(), ...(await settingsIn(page)) };
  const result = resolveAutomation('prod', document, { isLocalStage: false, now: new Date() });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const { datasetRules, gateway } = result.automation;
  const bench = createUploadBench({ rules: datasetRules });
  bench.deps.config = { ...bench.deps.config, gateway };
  return bench;
}

describe('docs/datasets.md', () => {
  test('has a configuration and a sidecar of which the dataset and its finding come', async () => {
    const bench = await workerOfThePage();
    bench.put({ key: sidecarKeyOf(upload.key), versionId: 's1', body: sidecar });

    const result = await bench.deliver(bench.put(upload));

    expect(bench.posts).toMatchObject([JSON.parse(sidecar)]);
    expect(bench.events).toMatchObject([{ type: 'DatasetRegistered' }]);
    expect(result.outcomes?.[0]?.detail).toContain(blocksOf(page, 'text')[0]?.trim());
  });

  test('says how long an upload waits for its sidecar, as it is', async () => {
    const bench = await workerOfThePage();
    const startMs = bench.state.nowMs;
    const body = bench.put(upload);

    let result = await bench.deliver(body);
    expect(result).toMatchObject({ kind: 'later', delayMs: 5_000 });
    while (result.kind === 'later') {
      expect(result.delayMs).toBeLessThanOrEqual(5 * 60_000);
      bench.pass(result.delayMs);
      result = await bench.deliver(body);
    }

    expect(bench.state.nowMs - startMs).toBe(30 * 60_000);
    expect(result.outcomes).toMatchObject([{ reason: 'SIDECAR_MISSING' }]);
  });
});
