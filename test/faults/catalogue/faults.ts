/**
 * `npm run faults`: runs the tests of the fault catalogue. `npm run faults -- --list` prints which
 * test proves which fault, and ends with 1 if one has neither a test nor a reason.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { matrixOf, projectFaults, projectProofs, showMatrix, unknownIds, unproved } from './matrix.ts';
const usage =
  'npm run faults runs the tests of the fault catalogue; npm run faults -- --list prints which test proves which fault.';

async function main(args: readonly string[]): Promise<number> {
  if (args.length === 0) return runTests();
  if (args.length === 1 && args[0] === '--list') return list();
  process.stderr.write(`${args.join(' ')} is not understood: ${usage}\n`);
  return 2;
}

function list(): number {
  const faults = projectFaults();
  const proofs = projectProofs();
  const rows = matrixOf(faults, proofs);
  const unknown = unknownIds(faults, proofs);
  process.stdout.write(showMatrix(rows));
  for (const problem of unknown) process.stderr.write(`the catalogue has no ${problem}\n`);
  return unproved(rows).length + unknown.length === 0 ? 0 : 1;
}

async function runTests(): Promise<number> {
  const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));
  const child = spawn(process.execPath, [vitest, 'run', 'test/faults'], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}

process.exitCode = await main(process.argv.slice(2));
