/**
 * `npm run docs -- limits`: plays every scenario whole and in its quick form, and writes what came of
 * it, and docs/reference/limits.md from it. `--only day` (more than once, if you like) plays
 * these and keeps the others, `--text` plays none. The document is written again from the
 * figures of the last time.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { documentPath, limitsDocument } from './limits-document.ts';
import { type Measured, measuredPath, readMeasured } from './measured.ts';
import { playAll, quickPart, scenarioNames } from './scenarios.ts';
import { workersStackSize } from './workers-stack.ts';

const { values } = parseArgs({
  options: { text: { type: 'boolean', default: false }, only: { type: 'string', multiple: true, default: [] } },
});
const unknown = values.only.filter((name) => !scenarioNames.some((known) => known === name));
if (unknown.length > 0) throw new Error(`no scenario is called ${unknown.join(', ')}: ${scenarioNames.join(', ')}`);

const names = scenarioNames.filter((name) => values.only.length === 0 || values.only.includes(name));
const measured = values.text ? readMeasured() : await measure();
writeFileSync(documentPath, limitsDocument(measured, await workersStackSize()));

async function measure(): Promise<Measured> {
  const before = values.only.length === 0 ? undefined : readMeasured();
  const quick = { ...before?.quick, ...(await playAll(quickPart, { names })) };
  const full = { ...before?.full, ...(await playAll(1, { names, tell })) };
  const now = { date: new Date().toISOString().slice(0, 10), full, quick };
  writeFileSync(measuredPath, `${JSON.stringify(now, undefined, 2)}\n`);
  return now;
}

function tell(name: string, figures: object): void {
  process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`);
}
