/** The stage of the example, with a text of others wherever a file, a person, the gateway or a configuration has one. */
import { readAssets } from '#console/assets.ts';
import { consoleStages } from '#console/server/console-stage.ts';
import { writeKinds } from '#console/server/live.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import type { StageAccess } from '#operator/stage/stage-access.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { exampleDeps } from '../../../golden/example-stage.ts';
import { now } from '../../../unit/operator/fake-deps.ts';
import { parkedUpload } from '../../../unit/operator/parked-fixtures.ts';
import { startTestConsole, type TestConsole } from './test-console.ts';

/** Names and sentences in the answers of its functions. */
const toldFields = new Set(['name', 'campaign', 'run', 'detail', 'why', 'reason']);

/** Its dependencies. A broken one cannot read its ledger, and its functions fail with the text. */
export async function hostileDeps(text: string, { isBroken = false } = {}): Promise<OperatorDeps> {
  const deps = await exampleDeps();
  const ledger = await deps.stage.ledger();
  await ledger.write(undefined, parkedUpload({ key: keyOf(text), datasetName: text }));
  await ledger.write(undefined, startOf(text));
  for (const isOn of [false, true]) await setSwitch(ledger, stageSwitch, { isOn, by: text, reason: text, at: now });
  const fail = async () => {
    throw new Error(`the gateway answered ${text}`);
  };
  const access = isBroken ? { ...deps.stage, ledger: fail, invoke: fail } : tellsInAll(deps.stage, text);
  const stage: StageAccess = { ...access, until: () => stage };
  return { ...deps, stage };
}

/** The key of a file that others named. */
export function keyOf(text: string): string {
  return `datasets/${text}.csv`;
}

/** The command of a start whose every text is of others. */
export const hostileStart = 'hostile-start';

function startOf(text: string): CommandRow {
  const at = new Date(now.getTime() - 3_600_000).toISOString();
  return {
    pk: ledgerKeys.command(hostileStart),
    kind: 'command',
    id: hostileStart,
    command: {
      version: 1,
      id: hostileStart,
      action: 'start',
      run: text,
      issuedAt: at,
      reason: text,
      origin: { kind: 'operator', name: text },
    },
    campaignRunId: '0197f3a0-5b1c-7d2e-8f30-000000000001',
    verdicts: [{ guard: 'overlap', verdict: 'overridden', detail: text }],
    outcome: { kind: 'applied', detail: text, at },
    openState: 'ENDED',
    openSince: at,
  };
}

function tellsInAll(stage: StageAccess, text: string): StageAccess {
  const version = { key: keyOf(text), versionId: 'v1', etag: 'e1', sizeBytes: 90, lastModified: now };
  return {
    ...stage,
    listVersions: async () => ({ versions: [version] }),
    async invoke(functionName, input, signal) {
      const { payload, ...rest } = await stage.invoke(functionName, input, signal);
      const told = JSON.parse(payload, (field, value: unknown) =>
        toldFields.has(field) && typeof value === 'string' ? text : value,
      );
      return { ...rest, payload: JSON.stringify({ ...told, ...(isConfig(input) ? configOf(text) : {}) }) };
    },
    async schedules() {
      const { names, find } = await stage.schedules();
      return {
        names: async () => (await names()).map(() => text),
        find: async () => {
          const [name = ''] = await names();
          const schedule = await find(name);
          return (
            schedule && { ...schedule, name: text, input: schedule.input.replace('"nightly"', JSON.stringify(text)) }
          );
        },
      };
    },
  };
}

const isConfig = (input: string) => input.includes('"config"');

function configOf(text: string): object {
  const window = { kind: 'once', from: '2026-11-21T00:00:00Z', to: '2026-11-22T00:00:00Z' };
  return {
    blackouts: [{ name: text, starts: 'skip', window }],
    datasetRules: [{ prefix: `datasets/${text}`, check: 'none' }],
  };
}

/** Its name in the console, which is not its own: it is deployed as `prod`. */
export const hostileName = 'prod@eu-west-1';

/** The real page over it in AWS, beside a stage that fails with the same text. */
export async function startHostileConsole(text: string): Promise<TestConsole> {
  const deps: OperatorDeps = {
    ...(await hostileDeps(text)),
    target: { kind: 'aws', stage: 'prod', region: 'eu-west-1' },
  };
  const broken = await hostileDeps(text, { isBroken: true });
  const stages = consoleStages([
    { label: hostileName, words: [], open: () => deps },
    { label: 'broken', words: [], open: () => broken },
  ]);
  return startTestConsole({ stages, deps, allow: writeKinds, assets: readAssets });
}
