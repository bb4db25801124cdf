/** The stage of the example, with a text of others wherever a file, a person, the gateway or a configuration has one. */
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import type { StageAccess } from '#operator/stage/stage-access.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { exampleDeps } from '../../../golden/example-stage.ts';
import { now } from '../../../unit/operator/fake-deps.ts';
import { parkedUpload } from '../../../unit/operator/parked-fixtures.ts';

/** Names and sentences in the answers of its functions. */
const toldFields = new Set(['name', 'campaign', 'run', 'detail', 'why', 'reason']);

/** Its dependencies. A broken one cannot read its ledger, and its functions fail with the text. */
export async function hostileDeps(text: string, { isBroken = false } = {}): Promise<OperatorDeps> {
  const deps = await exampleDeps();
  const ledger = await deps.stage.ledger();
  await ledger.write(undefined, parkedUpload({ key: `datasets/${text}.csv`, datasetName: text }));
  for (const isOn of [false, true]) await setSwitch(ledger, stageSwitch, { isOn, by: text, reason: text, at: now });
  const fail = async () => {
    throw new Error(`the gateway answered ${text}`);
  };
  const access = isBroken ? { ...deps.stage, ledger: fail, invoke: fail } : tellsInAll(deps.stage, text);
  const stage: StageAccess = { ...access, until: () => stage };
  return { ...deps, stage };
}

function tellsInAll(stage: StageAccess, text: string): StageAccess {
  const version = { key: `datasets/${text}.csv`, versionId: 'v1', etag: 'e1', sizeBytes: 90, lastModified: now };
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
