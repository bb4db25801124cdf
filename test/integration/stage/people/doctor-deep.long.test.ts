/**
 * `autopilot doctor --deep` against the run on this machine: all green, and with each link broken
 * in turn.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { synthesize } from '#local/stage/synthesize.ts';
import type { RunningStage } from '#local/stage/run-stage.ts';
import { resourcesOfType } from '#local/template/cloud-assembly.ts';
import type { JsonObject } from '#local/template/json.ts';
import { typedResources } from '#local/template/resource-properties.ts';
import { examineLinks } from '#operator/doctor/link-findings.ts';
import type { TestLimits } from '#operator/doctor/link-marks.ts';
import { examineStage } from '#operator/doctor/examine-stage.ts';
import type { Finding } from '#operator/finding.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { createStageAccess } from '#operator/stage/stage-access.ts';
import { clientSettings } from '#operator/target.ts';
import { linkTestName } from '#shared/messages/link-test.ts';
import { eventTypes } from '#shared/vocabulary/resource-names.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { type ChangeResource, withoutAction, withoutStatements, withProperties } from '../harness/change-templates.ts';
import { requestsOf } from '../harness/control-data.ts';
import { type InProcessStage, openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

/**
 * Of time in which the stage is idle: what has not come by then does not come. The lead is longer
 * than a busy machine needs to make a schedule, since one in the past never fires.
 */
const quick: TestLimits = { leadMs: 6000, arriveMs: 4000, pollMs: 200 };
const deep = ['schedule', 'object', 'command'] as const;

const folder = folderOfFile();
const assemblyDir = await synthesize({
  configPath: join(process.cwd(), 'automation.config.ts'),
  stage: 'local',
  gatewayBaseUrl: 'http://127.0.0.1:1',
  dataDir: folder,
});

/** A stage of a changed template, and an operator who works with it. For him time passes while the stage is idle. */
interface OperatedStage {
  readonly stage: RunningStage;
  readonly deps: OperatorDeps;
  /** What the operator was told beside the result. */
  readonly told: readonly string[];
}

/**
 * Runs a changed stage for one test; the two functions that take marks are loaded, since a cold
 * start is no broken link.
 */
async function inStage(
  {
    interruption = new AbortController().signal,
    ...how
  }: { readonly change?: ChangeResource; readonly isWithoutToken?: boolean; readonly interruption?: AbortSignal },
  work: (it: OperatedStage) => Promise<void>,
): Promise<void> {
  const { stage, clock, dataDir, close } = await openInProcessStage({ assemblyDir, ...how });
  const takers = resourcesOfType(stage.assembly, 'AWS::Lambda::Function').filter(({ logicalId }) =>
    /^(RegisterDatasets|UpdateCampaignRuns)Function/.test(logicalId),
  );
  await Promise.all(takers.map(async ({ name }) => stage.host.invoke(name, '{}'))); // warm from here on
  const { endpoint, region } = stage.assembly;
  const target = { kind: 'local', stage: 'local', endpoint, region, folder: dataDir } as const;
  const told: string[] = [];
  let [runs, idleMs] = [0, 0];
  const deps: OperatorDeps = {
    target,
    stage: createStageAccess('local', clientSettings(target)),
    now: async () => new Date(clock.now()),
    interruption: () => interruption,
    elapsedMs: () => idleMs,
    async wait(milliseconds) {
      await sleep(milliseconds);
      if (isIdle(stage)) idleMs += milliseconds;
    },
    unique: () => String((runs += 1)).padStart(8, '0'),
    operator: 'grace',
    progress: (line) => void told.push(line),
  };
  try {
    await work({ stage, deps, told });
  } finally {
    await close();
  }
}

/** Nothing is with a function, and nothing waits for one: on a busy machine work takes long, and is no broken link. */
function isIdle({ assembly, host, frontDoor }: RunningStage): boolean {
  const taken = typedResources(assembly, 'AWS::Lambda::EventSourceMapping').flatMap(({ typed }) =>
    typed.Enabled ? [typed.EventSourceArn.split(':').at(-1) ?? ''] : [],
  );
  const depths = frontDoor.queueDepths();
  return host.busyCount() === 0 && taken.every((name) => (depths[name]?.visible ?? 0) === 0);
}

/** The keys of the bucket: a test takes its object away. */
async function keysOf({ stage: { assembly } }: OperatedStage): Promise<readonly string[]> {
  const bucket = resourcesOfType(assembly, 'AWS::S3::Bucket')[0]?.physicalId;
  const s3 = new S3Client({ endpoint: assembly.endpoint, region: assembly.region, credentials: developerKey });
  const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket }));
  s3.destroy();
  return [...Versions, ...DeleteMarkers].map(({ Key = '' }) => Key);
}

function problemsOf(findings: readonly Finding[]): readonly string[] {
  return findings.filter(({ state }) => state === 'problem').map(({ subject }) => subject);
}

/** Takes a resource of a type apart whose id begins so. */
const only =
  (type: string, id: string, change: ChangeResource): ChangeResource =>
  (resource, logicalId) =>
    resource['Type'] === type && logicalId.startsWith(id) ? change(resource, logicalId) : resource;

const bucketOf = (properties: JsonObject): ChangeResource =>
  only('AWS::S3::Bucket', 'Bucket8', (resource) => withProperties(resource, properties));

const disabled: ChangeResource = (resource) => withProperties(resource, { Enabled: false, State: 'DISABLED' });

/** What a person did at AWS, the subject that is named for it, and what is said of it. */
const breaks: readonly (readonly [string, ChangeResource, string, RegExp])[] = [
  [
    'the notification of the bucket was removed',
    bucketOf({ NotificationConfiguration: { QueueConfigurations: [] } }),
    'bucket notification',
    /^gateway-autopilot-local-\S+ tells \S+Uploads\S+ nothing of new objects below datasets\//,
  ],
  [
    'the policy of the uploads queue lets the bucket in no more',
    only('AWS::SQS::QueuePolicy', 'UploadsPolicy', (resource) =>
      withoutStatements(resource, (statement) => statement.includes('s3.amazonaws.com')),
    ),
    'queue policy',
    /^gateway-autopilot-local-\S+ announces its objects, and none came: the policy of the queue, or its key,/,
  ],
  [
    'the mapping of the commands was disabled',
    only('AWS::Lambda::EventSourceMapping', 'UpdateCampaignRunsFunctionCommands', disabled),
    'mapping of update-campaign-runs',
    /^nothing is taken from the queue Commands: its mapping is disabled$/,
  ],
  [
    'the role of a worker lost its grant on the ledger',
    only('AWS::IAM::Policy', 'RegisterDatasetsFunctionRole', withoutAction('dynamodb:PutItem')),
    'register-datasets',
    /^it cannot end a mark: .*not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:/,
  ],
  [
    'the role of a worker lost its grant on the bus',
    only('AWS::IAM::Policy', 'UpdateCampaignRunsFunctionRole', withoutAction('events:PutEvents')),
    'update-campaign-runs',
    /^it cannot end a mark: .*not authorized to perform: events:PutEvents on resource: arn:aws:events:/,
  ],
  [
    'the role of the link tests lost its grant',
    only('AWS::IAM::Policy', 'LinkTesterRole', withoutAction('sqs:SendMessage')),
    'schedule',
    /^it was made in gateway-autopilot-local, and its command did not come: Scheduler may not send .* as arn:aws:iam:/,
  ],
  [
    'the schedule group was deleted',
    only('AWS::Scheduler::ScheduleGroup', '', () => undefined),
    'schedule group',
    /^the group gateway-autopilot-local is gone/,
  ],
  [
    'versioning of the bucket was suspended',
    bucketOf({ VersioningConfiguration: { Status: 'Suspended' } }),
    'bucket versioning',
    /^gateway-autopilot-local-\S+ keeps no versions: /,
  ],
];

describe('with one link broken', () => {
  test.each(breaks)('%s: that link is named, and no other', async (_what, change, subject, says) => {
    await inStage({ change }, async (it) => {
      const findings = await examineLinks(deep, it.deps, quick);

      expect(new Set(problemsOf(findings))).toEqual(new Set([subject]));
      const named = findings.find((finding) => finding.subject === subject);
      expect(named?.says).toMatch(says);
      const { says: doThis = '', command = [] } = named?.next ?? {};
      expect([doThis, ...command].join(' ')).toMatch(/Deploy with --revert-drift|\. aws (s3api|lambda) /);
      expect(await keysOf(it)).toEqual([]);
    });
  });

  test('the secret has no value: the usual part says so, and the links are well', async () => {
    await inStage({ isWithoutToken: true }, async (it) => {
      const usual = (await examineStage(it.deps)).flatMap(({ findings }) => findings);
      const findings = await examineLinks(deep, it.deps, quick);

      const says = 'the secret has no value yet';
      expect(usual).toContainEqual(expect.objectContaining({ subject: 'token', state: 'problem', says }));
      expect(problemsOf(findings)).toEqual([]);
    });
  });
});

test('the object is taken away after Ctrl-C too, and the schedule goes when it has fired', async () => {
  const person = new AbortController();
  await inStage({ interruption: person.signal }, async (it) => {
    const examined = examineLinks(deep, it.deps, { ...quick, arriveMs: 600_000 });
    await until('the schedule alone', async () => it.told.find((line) => line === 'waiting for: schedule'));
    const during = await keysOf(it);
    person.abort();

    const findings = await examined;

    expect(during).toHaveLength(1);
    expect(findings).toEqual([expect.objectContaining({ subject: 'all of it', state: 'unknown' })]);
    expect(await keysOf(it)).toEqual([]);
    await until('the end of the schedule', async () =>
      it.stage.frontDoor.schedules().every(({ Name }) => !Name.startsWith(linkTestName)),
    );
  });
});

describe('the whole command', () => {
  let it: InProcessStage;

  beforeAll(async () => {
    it = await openInProcessStage();
  });
  afterAll(async () => it.close());

  test('finds nothing wrong, and makes no change at the gateway', async () => {
    const running = it.autopilot('doctor', '--deep', '--notice', '--json');
    await until('the schedule', async () =>
      it.stage.frontDoor.schedules().find(({ ActionAfterCompletion }) => ActionAfterCompletion === 'DELETE'),
    );
    await it.autopilot('clock', '+2m');
    const { code, stdout, stderr } = await running;

    const { examined }: { examined: { title: string; findings: Finding[] }[] } = JSON.parse(stdout);
    const links = examined.find(({ title }) => title === 'Links')?.findings ?? [];
    expect(links.map(({ subject, state }) => [subject, state])).toEqual([
      ['bucket versioning', 'ok'],
      ['schedule', 'ok'],
      ['object', 'ok'],
      ['command', 'ok'],
      ['test notice', 'unknown'],
    ]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^waiting for: .*schedule/m);
    const requests = await requestsOf(it);
    const unusual = requests.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/campaign-schedules'));
    expect(unusual).toEqual([]); // the watcher makes unused runs, whatever a doctor asks
  });

  test('has made one event of each mark, and people one message, of the notice alone', () => {
    const door = it.stage.frontDoor;
    const events = door.recentEvents().filter(({ event }) => event['detail-type'] === eventTypes.linkTested);
    expect(events.map(({ event }) => JSON.stringify(event.detail['link'])).toSorted()).toEqual([
      '"command"',
      '"notice"',
      '"object"',
      '"schedule"',
    ]);
    const notice = events.find(({ event }) => event.detail['link'] === 'notice')?.event.detail['linkTest'];
    const id = typeof notice === 'string' ? notice : 'no id';
    const messages = door.recentMessages().filter(({ message }) => message.includes('autopilot doctor'));
    expect(messages.map(({ message }) => message)).toEqual([expect.stringContaining(`sent this test ${id}`)]);
  });
});
