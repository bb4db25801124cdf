import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writeAssets } from '#infra/bundle/write-assets.ts';
import { configParts } from '#infra/config/config-parts.ts';
import { loadAutomation } from '#infra/config/load-automation.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { configurations } from '../template.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'autopilot-assets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('what was built under a strict umask can be read by Lambda', async () => {
  const bundlesDir = join(folder, 'functions');
  for (const name of functionNames) {
    mkdirSync(join(bundlesDir, name), { recursive: true });
    for (const file of ['handler.mjs', 'handler.mjs.map'])
      writeFileSync(join(bundlesDir, name, file), '', { mode: 0o600 });
  }
  const { automation } = await loadAutomation(configurations.exampleLocal);

  const assets = writeAssets({ bundlesDir, assetsDir: join(folder, 'assets'), parts: configParts(automation) });

  for (const directory of Object.values(assets)) {
    const modes = ['handler.mjs', 'handler.mjs.map', 'config.json'].map(
      (file) => statSync(join(directory, file)).mode % 0o1000,
    );
    expect(modes).toEqual([0o644, 0o644, 0o644]);
  }
});
