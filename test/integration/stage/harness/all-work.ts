import { seedIds } from '#gateway/seed/seed-ids.ts';
import type { AccessRequest } from '#local/aws/iam/authority.ts';
import { resourcesOfType } from '#local/template/cloud-assembly.ts';
import type { FunctionName } from '#shared/vocabulary/resource-names.ts';
import type { InProcessStage } from './in-process-stage.ts';
import { until } from './stage-process.ts';

/** A stage whose calls of AWS can be made to fail. */
export interface FailingStage extends InProcessStage {
  /**
   * From now on these requests are refused, whatever the policies say; without an argument none is.
   */
  readonly refuse: (isRefused?: (request: AccessRequest) => boolean) => void;
}

const minuteMs = 60_000;
const csv = 'prompt,label\nTell me secret 7.,true\nWhat is 7 plus one?,false\n';

/**
 * Asks a stage for everything that its workers and schedules can be asked for, so that each
 * permission is needed somewhere.
 */
export async function doAllWork(stage: FailingStage): Promise<void> {
  const steps = [
    campaignRuns,
    uploads,
    deadLetters,
    scannerPackages,
    project,
    dueStop,
    failedRun,
    lostUpload,
    calls,
    questions,
    undeliveredCommand,
  ];
  for (const step of steps) {
    await stage.control('/faults', 'DELETE'); // one that was not met would close the gate for the next step
    stage.clock.moveForward(7 * minuteMs); // leases, hidden messages and doubts are over, and a closed gate wants a probe
    await step(stage);
  }
}

async function campaignRuns(stage: FailingStage): Promise<void> {
  const { aws } = stage;
  // So that a message is postponed.
  await stage.control('/faults', 'POST', {
    match: { method: 'PATCH', path: '/backend/v1/campaign-runs' },
    times: 1,
    status: 429,
  });
  await aws.send('Commands', 'no command');
  await aws.send('Commands', commandOf(stage, 'stop-smoke', 'stop', 'smoke'));
  await start(stage, 'first', 'replaced');
  await start(stage, 'second', 'replaced'); // stops the first
}

async function start(stage: FailingStage, id: string, run: string): Promise<void> {
  await stage.aws.send('Commands', commandOf(stage, id, 'start', run));
  await whileMinutesPass(stage, `the end of ${id}`, async () => stage.aws.outcomeOf(id));
}

function commandOf({ clock }: FailingStage, id: string, action: 'start' | 'stop', run: string): string {
  const issuedAt = new Date(clock.now()).toISOString();
  return JSON.stringify({ version: 1, id, action, run, issuedAt, origin: { kind: 'operator', name: 'test' } });
}

async function uploads(stage: FailingStage): Promise<void> {
  const { aws } = stage;
  await aws.put('datasets/described/waits.csv', csv); // for its sidecar: its message is postponed
  await aws.put('datasets/pii/good.csv', csv); // registered, and starts a run
  await aws.put('datasets/bad.csv', 'nothing');
  await aws.send('Uploads', missingObject(stage, 'datasets/missing.csv'));
}

async function deadLetters({ aws }: FailingStage): Promise<void> {
  for (const queue of ['Commands', 'Uploads']) await aws.send(`${queue}DeadLetters`, `given up by ${queue}`);
}

async function scannerPackages(stage: FailingStage): Promise<void> {
  const path = `/scanner-packages/${seedIds.scannerPackages.promptInjection}`;
  await changeUntilStart(stage, { worker: 'poll-scanner-packages', watch: 'vendor' }, async (change) =>
    stage.control(path, 'PUT', { availableUpdate: `2027-${change}` }),
  );
}

async function project(stage: FailingStage): Promise<void> {
  const path = `/projects/${seedIds.projects.chatApp}`;
  await changeUntilStart(stage, { worker: 'watch-projects', watch: 'chat-app' }, async (change) =>
    stage.control(path, 'PUT', { config: { scanners: [{ id: 'scanner', version: `2027-${change}` }] } }),
  );
}

/** On a machine that is busy with other tests, looks are cut at the short timeout of this stage. */
const mostChanges = 25;

/**
 * Changes something before each look until one sends a start: the first has nothing to compare
 * with, and one may end at a closed gate.
 */
async function changeUntilStart(
  stage: FailingStage,
  { worker, watch }: { readonly worker: FunctionName; readonly watch: string },
  change: (count: number) => Promise<unknown>,
): Promise<void> {
  for (let count = 1; count <= mostChanges; count += 1) {
    await change(count);
    const { payload: answer } = await stage.invoke(worker, { watch });
    if (answer.includes('"starts":["smoke"]')) return;
    // Longer than the lease of a look that was cut at its timeout.
    stage.clock.moveForward(2 * minuteMs);
  }
  throw new Error(`${mostChanges} changes, and no start by the watch ${watch}`);
}

/** Runs whose stop is due half an hour later, until one was stopped: a start is skipped beside another run. */
async function dueStop(stage: FailingStage): Promise<void> {
  let starts = 0;
  await until('a planned stop', async () => {
    starts += 1;
    await start(stage, `to-be-stopped-${starts}`, 'smoke');
    stage.clock.moveForward(31 * minuteMs);
    await stage.invoke('watch-campaigns', { tick: 'watch-campaigns' });
    return (await stage.aws.history()).some(({ askedBy }) => askedBy.name === 'watch-campaigns');
  });
}

/** A run that the gateway shows as failed, and that is told. */
async function failedRun(stage: FailingStage): Promise<void> {
  await start(stage, 'fails', 'nightly');
  await stage.control(`/campaign-runs/${await stage.aws.runOf('fails')}`, 'PUT', { status: 'error' });
  await until('the failed run to be told', async () => {
    stage.clock.moveForward(5 * minuteMs);
    await stage.invoke('watch-campaigns', { tick: 'watch-campaigns' });
    return (await stage.aws.parked()).some((row) => row.startsWith('finding#'));
  });
}

/** An unannounced upload; after six hours it is sent, whatever waits in its queue. */
async function lostUpload(stage: FailingStage): Promise<void> {
  const { aws, clock, refuse } = stage;
  const tick = async () => stage.invoke('reconcile-ledger', { tick: 'reconcile-ledger' });
  await tick();
  refuse(({ caller }) => caller.kind === 'service' && caller.service === 's3.amazonaws.com');
  await aws.put('datasets/lost.csv', csv);
  refuse();
  clock.moveForward(6 * 60 * minuteMs + minuteMs);
  await tick();
}

/** What Scheduler calls. */
async function calls({ stage }: FailingStage): Promise<void> {
  for (const name of ['scanner-packages.vendor', 'projects.chat-app', 'reconcile-ledger', 'watch-campaigns']) {
    await stage.schedules.fireNow(name);
  }
}

/** What a person asks. */
async function questions(stage: FailingStage): Promise<void> {
  const horizon = new Date(stage.clock.now()).toISOString();
  await stage.invoke('answer-questions', {});
  const planned = {
    version: 1,
    id: 'planned',
    action: 'start',
    run: 'smoke',
    issuedAt: horizon,
    origin: { kind: 'schedule', name: 'nights' },
  };
  await stage.invoke('answer-questions', { ask: 'preview', commands: [planned], until: horizon });
  await stage.invoke('answer-questions', { ask: 'token' });
}

/** Some days' commands that their queue does not take, until Scheduler gives them up. */
async function undeliveredCommand({ clock, refuse, invoke }: FailingStage): Promise<void> {
  const dayMs = 24 * 60 * minuteMs;
  const givenUp: string[] = [];
  refuse(({ caller, action, resource }) => {
    if (caller.kind !== 'role' || !caller.roleName.includes('SchedulesCommands')) return false;
    if (resource.includes('DeadLetters')) givenUp.push(action);
    return !resource.includes('DeadLetters');
  });
  // So many days that two of them are weekdays: on a weekend no schedule starts anything.
  for (let day = 0; day < 5; day += 1) clock.moveForward(dayMs + minuteMs);
  await until('a command that is a dead letter', async () => {
    if (givenUp.length === 0) clock.moveForward(dayMs);
    return givenUp.length > 0;
  });
  refuse();
  // Their schedule started nothing: the reconciler asks why, and tells it.
  await invoke('reconcile-ledger', { tick: 'reconcile-ledger' });
}

/**
 * Looks until something is there. Minutes pass meanwhile, so that hidden messages come back, pauses
 * end and what was in doubt is so no more. But seldom, since each of these steps ends the leases
 * and the visibility of what is under way.
 */
export async function whileMinutesPass<Found>(
  { clock }: FailingStage,
  what: string,
  look: () => Promise<Found | undefined | false>,
): Promise<Found> {
  let looks = 0;
  return until(what, async () => {
    const found = await look();
    looks += 1;
    if ((found ?? false) === false && looks % 25 === 0) clock.moveForward(3 * minuteMs);
    return found;
  });
}

/** What S3 says of an object that is gone by now. */
function missingObject({ aws, clock, stage }: FailingStage, key: string): string {
  const [bucket] = resourcesOfType(stage.assembly, 'AWS::S3::Bucket');
  const object = { key, size: 10, eTag: 'e', versionId: 'gone', sequencer: '0' };
  const record = {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: stage.assembly.region,
    eventTime: new Date(clock.now()).toISOString(),
    eventName: 'ObjectCreated:Put',
    s3: { bucket: { name: aws.bucket, arn: bucket?.arn ?? '' }, object },
  };
  return JSON.stringify({ Records: [record] });
}
