import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchRow } from '../bench-row.ts';
import { countUpload } from '../cost/count-upload.ts';
import { buildDeployed, functionEnvironment, stopEvent } from '../measure/deployed-function.ts';
import { runCold } from '../measure/run-cold.ts';
import { openResponder } from '../responder/open-responder.ts';

/** What the ledger takes for each upload. */
export const ledgerWrites: BenchRow = {
  id: 'ledger-writes',
  title: 'ledger writes per applied upload',
  peer: 'claim, SENDING, applied',
  isNoiseFree: true,
  async measure() {
    const { writes, writeUnits, reads } = await countUpload();
    return {
      figures: [{ name: '', value: writes.length, unit: 'writes', bar: 3, stretch: 3, detail: writes.join(', ') }],
      notes: [`${writeUnits} write units, ${reads} reads`],
    };
  },
};

/** Invocations of the environment whose fetches are counted, and messages of each. */
const invocations = { count: 3, messages: 2 };

/** How often an environment asks for the gateway's token. */
export const secretFetches: BenchRow = {
  id: 'secret-fetches',
  title: 'secret fetches per environment',
  peer: 'once',
  isNoiseFree: true,
  async measure() {
    await using responder = await openResponder();
    const folder = await mkdtemp(join(tmpdir(), 'autopilot-bench-'));
    try {
      const file = await buildDeployed('update-campaign-runs', folder, responder.origin);
      const events = Array.from({ length: invocations.count }, () => stopEvent(invocations.messages));
      await runCold({ file, events, environment: functionEnvironment(responder.origin) });
      const { aws, gateway } = await responder.asked();
      const value = aws['GetSecretValue'] ?? 0;
      const changes = invocations.count * invocations.messages;
      if (gateway['PATCH'] !== changes) throw new Error(`${gateway['PATCH'] ?? 0} of ${changes} changes were sent`);
      const detail = `${invocations.count} invocations of update-campaign-runs, ${invocations.messages} messages each`;
      return { figures: [{ name: '', value, unit: 'fetches', bar: 1, stretch: 1, detail }], notes: [] };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
