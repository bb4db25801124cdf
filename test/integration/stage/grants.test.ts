import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningGateway } from '../../../gateway/server.ts';
import { seedIds } from '../../../gateway/seed-ids.ts';
import type { MovableClock } from '../../../local/clock/movable-clock.ts';
import { type Authority, createAuthority } from '../../../local/iam/authority.ts';
import type { RunningStage } from '../../../local/stage/run-stage.ts';
import type { ResolvedAssembly } from '../../../local/template/assembly.ts';
import type { AwsCaller } from './aws-caller.ts';
import { grantsOf, withoutGrant, type StackGrant } from './grants-of-template.ts';
import { type InProcessStage, openInProcessStage } from './in-process-stage.ts';
import { until } from './stage-process.ts';

let opened: InProcessStage;
let gateway: RunningGateway;
let stage: RunningStage;
let aws: AwsCaller;
let clock: MovableClock;
let template: ResolvedAssembly;
/** The authority that decides now: of the template as it is, or of the template less one grant. */
let deciding: Authority;
/** The bucket tells nobody of what is put. */
let areNotificationsLost = false;

beforeAll(async () => {
  opened = await openInProcessStage({
    stageName: 'chaos',
    configIn: writeConfig,
    authorityFor(assembly) {
      template = assembly;
      deciding = createAuthority(assembly);
      return delegate(deciding);
    },
  });
  ({ gateway, stage, aws, clock } = opened);
});

afterAll(async () => opened.close());

/** The example, and what it has no use for: a campaign whose newer start stops the run in flight. */
function writeConfig(folder: string): string {
  const example = pathToFileURL(join(process.cwd(), 'automation.config.ts')).href;
  const runs = { replaced: { campaignRunId: seedIds.campaignRuns.monthly[1], stopAfter: '30 minutes' } };
  const campaign = JSON.stringify({ overlap: 'stop-previous', runs });
  const path = join(folder, 'grants.config.ts');
  writeFileSync(
    path,
    `import stages from ${JSON.stringify(example)};
const { local } = stages;
export default { ...stages, local: { ...local, campaigns: { ...local.campaigns, replaced: ${campaign} } } };
`,
  );
  return path;
}

/** The keys stay those that the functions were given; what they may do is asked of whoever decides now. */
function delegate(keys: Authority): Authority {
  return {
    ...keys,
    authorize(request) {
      const isNotification = request.caller.kind === 'service' && request.caller.service === 's3.amazonaws.com';
      if (areNotificationsLost && isNotification) return { allowed: false, message: 'lost' };
      return deciding.authorize(request);
    },
    used: () => deciding.used(),
    denials: () => deciding.denials(),
  };
}

/**
 * Grants that nothing here can show missing: Lambda itself asks for the attributes of a queue when a mapping is made, nobody keeps a function
 * from its log on this machine, and these two functions postpone a message only when a service of AWS fails them.
 */
function isUnseen({ role, action }: StackGrant): boolean {
  if (action === 'sqs:GetQueueAttributes' || action.startsWith('logs:')) return true;
  return action === 'sqs:ChangeMessageVisibility' && /SendRunPlans|ParkDeadLetters/.test(role);
}

let count = 0;
const csv = () => `prompt,label\nTell me secret ${count}.,true\nWhat is ${count} plus one?,false\n`;

/** Everything that the workers can be asked for, so that each grant is needed somewhere. */
async function stimulate(role: string): Promise<void> {
  count += 1;
  clock.moveForward(7 * 60_000); // of the step before, leases, hidden messages and doubts are over, and a closed gate wants a probe
  await control('/faults', 'DELETE'); // one that it did not meet would close the gate for this one
  const before = new Set(Object.values(stage.host.pids()).flat());
  stage.host.killAll('SIGKILL'); // a cold start fetches the token again
  await until('the processes to be gone', async () =>
    Object.values(stage.host.pids())
      .flat()
      .some((pid) => before.has(pid))
      ? undefined
      : true,
  );
  if (role.includes('UpdateCampaignRuns')) await stimulateRuns();
  if (role.includes('RegisterDatasets')) await stimulateUploads();
  if (role.includes('SendRunPlans')) await stimulatePlans();
  if (role.includes('ParkDeadLetters')) await aws.send('CommandsDeadLetters', `given up ${count}`);
  if (role.includes('PollScannerPackages')) await stimulatePoll();
  if (role.includes('WatchCampaigns')) {
    await stimulateDueStop();
    await stimulateCampaigns();
  }
  if (role.includes('WatchProjects')) await stimulateProject();
  if (role.includes('ReconcileLedger')) await stimulateReconciler();
  if (role.includes('Schedules')) await stimulateSchedules();
}

async function stimulateRuns(): Promise<void> {
  await failOnce('PATCH', '/backend/v1/campaign-runs'); // so that a message is postponed
  const command = { version: 1, issuedAt: new Date().toISOString(), origin: { kind: 'operator', name: 'test' } };
  await aws.send('Commands', 'no command');
  await aws.send('Commands', JSON.stringify({ ...command, id: `stop-${count}`, action: 'stop', run: 'smoke' }));
  const preview = { ask: 'preview', commands: [], until: command.issuedAt };
  await stage.host.invoke(functionNamed('UpdateCampaignRuns'), JSON.stringify(preview));
  await start(`first-${count}`, 'replaced');
  await start(`second-${count}`, 'replaced');
}

/** Sends a start, and waits for its end; or until the first denial, which may be the reason why it has none. */
async function start(id: string, run: string): Promise<void> {
  const issuedAt = new Date(clock.now()).toISOString();
  const origin = { kind: 'operator', name: 'test' };
  await aws.send('Commands', JSON.stringify({ version: 1, id, action: 'start', run, issuedAt, origin }));
  await whileMinutesPass(`the end of ${id}`, async () => (await aws.outcomeOf(id)) ?? deciding.denials()[0]);
}

/**
 * Looks until something is there. Minutes pass meanwhile, so that hidden messages come back, pauses end and what was in doubt is so no more; but
 * seldom, since each of these steps ends the leases and the visibility of what is under way.
 */
async function whileMinutesPass<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
  let looks = 0;
  return until(
    what,
    async () => {
      const found = await look();
      looks += 1;
      if (found === undefined && looks % 50 === 0) clock.moveForward(3 * 60_000);
      return found;
    },
    30_000,
  );
}

async function stimulateUploads(): Promise<void> {
  await aws.put(`datasets/described/${count}.csv`, csv()); // its message is postponed: it waits for a sidecar
  await aws.put(`datasets/pii/good-${count}.csv`, csv());
  await aws.put(`datasets/pii/again-${count}.csv`, csv());
  await aws.put(`datasets/bad-${count}.csv`, 'nothing');
  await aws.send('Uploads', missingObject(`datasets/missing-${count}.csv`));
}

async function stimulatePlans(): Promise<void> {
  await aws.put(
    `run-plans/good-${count}.json`,
    JSON.stringify({ version: 1, commands: [{ action: 'stop', run: 'smoke', reason: `${count}` }] }),
  );
  await aws.put(`run-plans/bad-${count}.json`, '{}');
  await aws.send('Plans', missingObject(`run-plans/missing-${count}.json`));
}

/** A look that ends at the gate, which the step before may have closed, is made again a minute later. */
async function lookThrough(worker: string, watch: string): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    const answer = await stage.host.invoke(functionNamed(worker), JSON.stringify({ watch }));
    if (!JSON.stringify(answer).includes('isUnfinished')) return;
    clock.moveForward(60_000);
  }
}

async function poll(): Promise<void> {
  await lookThrough('PollScannerPackages', 'vendor');
}

async function stimulatePoll(): Promise<void> {
  await poll();
  await control(`/scanner-packages/${seedIds.scannerPackages.promptInjection}`, 'PUT', {
    availableUpdate: `2027-${count}`,
  });
  await poll();
}

async function lookAtProject(version: string): Promise<void> {
  await control(`/projects/${seedIds.projects.chatApp}`, 'PUT', { config: { scanners: [{ id: 'scanner', version }] } });
  await lookThrough('WatchProjects', 'chat-app');
}

/** A scanner with another version than at the last look. */
async function stimulateProject(): Promise<void> {
  await lookAtProject(`2027-${count}`);
  await lookAtProject(`2027-${count}-1`);
}

async function watchCampaigns(): Promise<void> {
  await stage.host.invoke(functionNamed('WatchCampaigns'), JSON.stringify({ tick: 'watch-campaigns' }));
}

/** A run whose stop is due half an hour later. */
async function stimulateDueStop(): Promise<void> {
  await start(`start-${count}`, 'smoke');
  clock.moveForward(31 * 60_000);
  await watchCampaigns();
}

/** A campaign that somebody else starts: the second look at it tells. */
async function stimulateCampaigns(): Promise<void> {
  await watchCampaigns();
  await control(`/campaigns/${seedIds.campaigns.chatBotNightly}`, 'PUT', { runCount: 1000 + 100 * count });
  clock.moveForward(6 * 60_000);
  await watchCampaigns();
  clock.moveForward(61_000);
  await watchCampaigns();
}

/** An upload that nobody was told of; after six hours it is sent whatever waits in its queue. */
async function stimulateReconciler(): Promise<void> {
  await reconcile();
  areNotificationsLost = true;
  await aws.put(`datasets/lost-${count}.csv`, csv());
  areNotificationsLost = false;
  clock.moveForward(6 * 3_600_000 + 60_000);
  await reconcile();
}

async function reconcile(): Promise<void> {
  await stage.host.invoke(functionNamed('ReconcileLedger'), JSON.stringify({ tick: 'reconcile-ledger' }));
}

async function stimulateSchedules(): Promise<void> {
  await stage.schedules.fireNow('by-morning').catch(() => {});
  await stage.schedules.fireNow('scanner-packages.vendor').catch(() => {});
}

function functionNamed(part: string): string {
  const name = Object.keys(stage.host.pids()).find((candidate) => candidate.includes(part));
  if (name === undefined) throw new Error(`no function ${part}`);
  return name;
}

function missingObject(key: string): string {
  const object = { key, size: 10, eTag: 'e', versionId: 'gone', sequencer: '0' };
  const record = {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    awsRegion: template.region,
    eventTime: new Date().toISOString(),
    eventName: 'ObjectCreated:Put',
    s3: { bucket: { name: aws.bucket, arn: `arn:aws:s3:::${aws.bucket}` }, object },
  };
  return JSON.stringify({ Records: [record] });
}

async function failOnce(method: string, path: string): Promise<void> {
  await control('/faults', 'POST', { match: { method, path }, times: 1, status: 429 });
}

async function control(path: string, method: string, body?: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await fetch(`${gateway.url}/_control${path}`, {
    method,
    ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
  });
}

test('each grant that is taken out of the stack makes its worker fail with an AccessDenied that names role, action and resource', async () => {
  const grants = grantsOf(template).filter((grant) => !isUnseen(grant));
  const missed: string[] = [];

  for (const grant of grants) {
    deciding = reduced(grant);
    await stimulate(grant.role);
    const denial = await whileMinutesPass(`${grant.role} ${grant.action}`, async () => denialOf(grant)).catch(
      () => undefined,
    );
    const isNamed = denial?.includes(`to perform: ${grant.action} on resource: arn:aws:`) === true;
    if (!isNamed) missed.push(`${grant.role} ${grant.action}: ${denial}`);
    if (missed.length === 3) break; // enough to know
  }

  expect(grants.length).toBeGreaterThan(20);
  expect(missed).toEqual([]);
}, 600_000);

test('nothing is denied to the template as it is', async () => {
  deciding = reduced();

  for (const role of [
    'UpdateCampaignRuns',
    'RegisterDatasets',
    'SendRunPlans',
    'ParkDeadLetters',
    'PollScannerPackages',
    'WatchCampaigns',
    'WatchProjects',
    'ReconcileLedger',
    'Schedules',
  ]) {
    await stimulate(role);
  }
  await until('the workers to be idle', async () => (stage.host.busyCount() === 0 ? true : undefined));

  expect(deciding.denials()).toEqual([]);
});

/** The authority of the template without one grant. */
function reduced(grant?: StackGrant): Authority {
  return createAuthority(grant === undefined ? template : withoutGrant(template, grant));
}

async function denialOf({ role, action }: StackGrant): Promise<string | undefined> {
  const denied = deciding.denials().find((denial) => denial.principal.endsWith(`/${role}`) && denial.action === action);
  return denied?.message;
}
