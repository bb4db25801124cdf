import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { architecturePath, freshArchitectureDocument } from './architecture-document.ts';

test('the picture of docs/architecture.md is that of the templates (if not: npm run docs -- architecture, and read the difference)', async () => {
  expect(await readFile(architecturePath, 'utf8')).toBe(await freshArchitectureDocument());
});
