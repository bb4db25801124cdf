/** The table of docs/reference/reliability.md: how starts come through a bad hour. */
import { readFile, writeFile } from 'node:fs/promises';
import { replaceBetween } from '../../unit/docs/documents/between-marks.ts';
import { lostAnswers, measure, type Passage, type Place, places, type Trouble, troubles } from './measure.ts';

const documentPath = new URL('../../../docs/reference/reliability.md', import.meta.url);
const passages: readonly Passage[] = ['in time', 'late', 'unconfirmed', 'cut short', 'skipped', 'needs a person'];
const placeNames = Object.keys(places) as readonly Place[];

/** One row: the trouble, then how its starts passed in each place. */
async function rowOf(trouble: Trouble, seeds: number): Promise<string> {
  const cells: string[] = [];
  for (const place of placeNames) {
    const { count, faults } = await measure(trouble, { place, seeds });
    if (lostAnswers.includes(trouble) && count['needs a person'] > 0)
      throw new Error(`${trouble}, ${place}: needs a person`);
    if (faults.length > 0) throw new Error(`${trouble}, ${place}: ${faults.slice(0, 3).join('; ')}`);
    const met = passages.filter((passage) => count[passage] > 0);
    cells.push(met.map((passage) => `${count[passage].toLocaleString('en')} ${passage}`).join(', '));
  }
  return `| ${trouble} | ${cells.join(' | ')} |`;
}

/** The table in Markdown. */
export async function availabilityTable(seeds: number): Promise<string> {
  const lines = [
    `| of ${seeds.toLocaleString('en')} starts each | ${placeNames.join(' | ')} |`,
    `|---|${'---|'.repeat(placeNames.length)}`,
  ];
  for (const trouble of troubles) lines.push(await rowOf(trouble, seeds));
  return lines.join('\n');
}

/** `npm run availability`: prints the table and writes it into docs/reference/reliability.md. */
export async function writeAvailability(seeds: number): Promise<void> {
  const table = await availabilityTable(seeds);
  process.stdout.write(`${table}\n`);
  const marks = { name: 'availability', command: 'npm run availability' };
  await writeFile(documentPath, replaceBetween(await readFile(documentPath, 'utf8'), marks, `${table}\n`));
}

if (import.meta.main) await writeAvailability(200);
