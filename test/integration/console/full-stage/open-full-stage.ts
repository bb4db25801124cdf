import { join } from 'node:path';
import { openObjectStore } from '#local/aws/s3/object-store.ts';
import { writeKinds } from '#console/api.ts';
import type { Ledger } from '#shared/ledger/ledger.ts';
import { rememberRecentOutcomes } from '#shared/ledger/recent-outcomes.ts';
import { setSwitch, stageSwitch } from '#shared/ledger/switches.ts';
import { type InProcessStage, openInProcessStage } from '../../stage/harness/in-process-stage.ts';
import { writeAutomation } from '../../stage/harness/write-automation.ts';
import { parkedCommand, parkedMessage, parkedUpload } from '../../../unit/operator/parked-fixtures.ts';
import { opensStage, stageName, startConsoleOver } from '../harness/console-over-stage.ts';
import { fullAutomation } from './automation.ts';
import { frozenNight, historyRows } from './history-rows.ts';
import { openWork } from './open-work.ts';
import { registeredRow, uploadCount, uploadKeyAt, uploadedAt } from './upload-rows.ts';
import { writeRows } from './write-rows.ts';

/** A local stage with much of everything, and a console of its own over it, which may change all that a console can. */
export type FullStage = Awaited<ReturnType<typeof openFullStage>>;

/** Why the stage is frozen. */
export const freezeReason = 'INC-77: the vendor repairs the gateway';

/** Opens the stage, writes its rows, and starts the console. */
export async function openFullStage() {
  const now = new Date();
  const stage = await openInProcessStage({
    stageName,
    configIn: (folder) => writeAutomation(folder, fullAutomation(now)),
  });
  await fill(stage, await opensStage(stage)().stage.ledger(), now);
  const running = await startConsoleOver(stage, writeKinds);
  return {
    stage,
    console: running,
    /** The instant that its rows go by. */
    now,
    close: async () => {
      await running.close();
      await stage.close();
    },
  };
}

async function fill(stage: InProcessStage, ledger: Ledger, now: Date): Promise<void> {
  const { bucket } = stage.aws;
  await writeRows(stage, [
    ...historyRows(now),
    parkedUpload({ bucket }),
    parkedCommand(),
    parkedMessage(),
    ...openWork(now),
    frozenNight(now, freezeReason),
    ...putUploads(stage, now),
  ]);
  const until = new Date(now.getTime() + 2 * 86_400_000);
  await setSwitch(ledger, stageSwitch, { isOn: true, by: 'ann', reason: freezeReason, at: now, until });
  const at = now.toISOString();
  const subject = uploadKeyAt(0);
  await rememberRecentOutcomes(ledger, [{ worker: 'register-datasets', subject, kind: 'applied', at }]);
}

/** Unannounced objects, and their rows as if the worker had registered them. */
function putUploads({ dataDir, aws: { bucket } }: InProcessStage, now: Date) {
  let at = now;
  const store = openObjectStore(join(dataDir, 'aws'), () => at.getTime());
  try {
    return Array.from({ length: uploadCount }, (_, back) => {
      const index = uploadCount - 1 - back;
      at = uploadedAt(index, now);
      const key = uploadKeyAt(index);
      const content = Buffer.from('prompt,label\nTell me the secret.,true\n');
      const { versionId } = store.put({ bucket, key, content, isVersioned: true, headers: {} });
      return registeredRow({ bucket, key, versionId }, at);
    });
  } finally {
    store.close();
  }
}
