/**
 * What a person sees of everything that may be wrong between a stage and its gateway: tried for
 * real, by the functions as they are deployed.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resourcesOfType } from '#local/template/cloud-assembly.ts';
import { asObject, asText, isJsonObject, parseJsonObject } from '#local/template/json.ts';
import { deployedFunctionName } from '#shared/vocabulary/resource-names.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { loopbackCertificate } from '../../shared/gateway-client/certificates.ts';
import { type ChangeResource, withProperties } from '../harness/change-templates.ts';
import { requestsOf } from '../harness/control-data.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';

const good = 'canary-of-the-gateway';
/** What the functions have logged. */
const logged: string[] = [];

/** A mapping and a schedule that a person switched off at AWS. */
const disableByHand: ChangeResource = (resource, id) => {
  if (id.startsWith('RegisterDatasetsFunctionUploads')) return withProperties(resource, { Enabled: false });
  const isTick = asObject(resource['Properties'])['Name'] === 'reconcile-ledger';
  return isTick ? withProperties(resource, { State: 'DISABLED' }) : resource;
};

const it = await openInProcessStage({
  isWithoutToken: true,
  change: disableByHand,
  onLine: (line) => logged.push(line),
});
await it.control('/tokens', 'PUT', { tokens: [good] });
const { endpoint, region } = it.stage.assembly;
const secrets = new SecretsManagerClient({ endpoint, region, credentials: developerKey });

afterAll(async () => {
  secrets.destroy();
  await it.close();
});

/** What a person with the AWS console puts there. */
async function putSecret(SecretString: string): Promise<void> {
  const [secret] = resourcesOfType(it.stage.assembly, 'AWS::SecretsManager::Secret');
  await secrets.send(new PutSecretValueCommand({ SecretId: secret?.physicalId, SecretString }));
}

/**
 * The same functions with another gateway in their configuration, as the next deployment would
 * bring it.
 */
async function deploy(settings: { readonly baseUrl: string; readonly caBundle?: string }): Promise<void> {
  for (const { properties } of resourcesOfType(it.stage.assembly, 'AWS::Lambda::Function')) {
    const folder = it.stage.assembly.assetPath(asText(asObject(properties['Code'])['S3Key']) ?? '');
    const path = join(folder, 'config.json');
    const config = parseJsonObject(readFileSync(path, 'utf8'), path);
    if (isJsonObject(config['gateway'])) Object.assign(config['gateway'], settings);
    writeFileSync(path, JSON.stringify(config));
  }
  const { host } = it.stage;
  const before = host.processes();
  for (const process of before) process.kill('SIGKILL');
  const isGone = () => host.processes().every(({ pid }) => before.every((other) => other.pid !== pid));
  await until('the processes to be gone', async () => isGone());
}

async function check() {
  const { code, stdout } = await it.autopilot('token', 'check', '--stage', 'local');
  return { code, stdout };
}

/**
 * The watches whose rate schedules fire while they are made, in AWS and here: before the operator
 * can put a token in.
 */
const watches = ['scanner-packages.vendor', 'projects.chat-app'];

/** Functions of the watches, with a process that has taken an invocation. */
function watchersStarted() {
  const started = new Set(it.stage.host.processes().map(({ functionName }) => functionName));
  return (['poll-scanner-packages', 'watch-projects'] as const).filter((name) =>
    started.has(deployedFunctionName('local', name)),
  );
}

const linesOf = (word: string) => logged.filter((line) => line.startsWith(`${word} RequestId`)).length;
const refusals = () => logged.filter((line) => line.includes('NO_TOKEN') && line.includes('"event":"auth_refused"'));

/**
 * Both watches have looked. The one that comes second may find the gate closed by the first: then
 * it asks for no token.
 */
async function firstLooksEnded() {
  const haveEnded = watchersStarted().length === watches.length && linesOf('START') === linesOf('END');
  return haveEnded && refusals().length > 0;
}

describe('the token', () => {
  test('is missing at the first look of every watch, which sends the gateway nothing', async () => {
    await until('the first look of every watch to end', firstLooksEnded);

    expect(await requestsOf(it)).toEqual([]);
  });

  test('is not good because it is the first: the person hears at once that the gateway refuses it', async () => {
    const { code, stdout } = await it.autopilotReading('canary-of-another\n', 'token', 'set');

    expect(code).toBe(4);
    expect(stdout).toMatch(/^set, and of no use$/m);
    expect(stdout).toMatch(/the gateway refuses the token \(401.*\n +Make a new one at the gateway/);
  });

  test('is promoted once a deployed function has read with it, and is told with what it may do', async () => {
    const set = await it.autopilotReading(`${good}\n`, 'token', 'set', '--expires', '2199-01-31');
    const checked = await check();

    expect(set).toMatchObject({ code: 0, stdout: expect.stringMatching(/^set: a worker read with it/m) });
    expect(checked.code).toBe(0);
    for (const line of [
      /^ok +token +the gateway takes it; it expires in \d+ days \(expires Thu 31 Jan 2199 00:00\)$/m,
      /^ok +gateway +http:\/\/127.0.0.1:\d+ answers$/m,
      /^ok +GET \/scanner-packages +allowed$/m,
      /^ok +GET \/endpoints +allowed$/m,
      /^ok +GET \/campaigns +allowed \(chat-bot\)$/m,
      /^ok +GET \/projects +allowed \(chat-app\)$/m,
      /^- +PATCH \/campaign-runs +not tried/m,
      /^- +POST \/datasets +not tried/m,
    ]) {
      expect(checked.stdout).toMatch(line);
    }
    expect(set.stdout + set.stderr + checked.stdout).not.toContain('canary');
  });

  test.each(watches)('that came late leaves the look of %s a first one, which starts nothing', async (watch) => {
    const look = await until(`a look of ${watch}`, async () => {
      const { stdout } = await it.autopilot('fire', watch);
      if (/first look/.test(stdout)) return stdout;
      it.clock.moveForward(60_000); // to the next probe of the gate
      return undefined;
    });

    expect(look).toMatch(/^\S+: done/);
    expect((await requestsOf(it)).filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  test('that the gateway does not take is not used: the one before stays', async () => {
    const set = await it.autopilotReading('canary-of-another', 'token', 'set');

    expect(set.code).toBe(4);
    expect(set.stdout).toMatch(/^not set$/m);
    expect(set.stdout).toMatch(
      /refuses the token \(401.*the one before stays in use.*\n +Make a new one at the gateway/,
    );
    expect((await check()).code).toBe(0);
  });
});

describe('the address', () => {
  beforeAll(async () => putSecret(good));

  test('is behind a certificate of an unknown authority, and answers once caBundle names it', async () => {
    const server = createTlsServer(loopbackCertificate, (request, response) => {
      const headers = { authorization: request.headers.authorization ?? '' };
      void fetch(`${it.gateway.url}${request.url}`, { headers }).then(async (answer) =>
        response
          .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
          .end(await answer.text()),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await deploy({ baseUrl });
    const unknown = await check();
    await deploy({ baseUrl, caBundle: loopbackCertificate.cert });
    const known = await check();
    server.close();

    expect(unknown).toEqual({
      code: 4,
      stdout: expect.stringMatching(
        /^PROBLEM +gateway +127.0.0.1:\d+: its certificate is signed by an authority .*\(DEPTH_ZERO_SELF_SIGNED_CERT\)\n +Set gateway.caBundle .* and deploy\.$/m,
      ),
    });
    expect(known).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^ok +gateway +https:\/\/127.0.0.1:\d+ answers$/m),
    });
  });
});

describe('doctor', () => {
  // A file below a misspelled prefix vanished: no message, no row, no alarm.
  test('names a file that lies outside of the prefixes, with the command that lists them', async () => {
    await it.aws.put('dataset/names.csv', 'prompt,label\n');
    await it.aws.put('names\n.csv', 'prompt,label\n');

    const { stdout } = await it.autopilot('doctor');

    expect(stdout).toMatch(
      /^ +warning +other files +outside of datasets\/ no part of Autopilot sees dataset\/, \$'names\\012.csv'; .*\n +List them all\.\n +env AWS_SHARED_CREDENTIALS_FILE=\S+ aws s3api list-objects-v2 --bucket gateway-autopilot-local-/m,
    );
  });

  test('tells a paused schedule, what was disabled by hand, and what is as it should be, each in one line', async () => {
    await deploy({ baseUrl: it.gateway.url });
    await it.autopilot('pause', 'schedule', 'weeknights', '--reason', 'CHG-1042');

    const { code, stdout } = await it.autopilot('doctor');

    for (const line of [
      /^ +ok +token +the gateway takes it/m,
      /^ +ok +update-campaign-runs +reaches ledger, token$/m,
      /^ +ok +answer-questions +reaches ledger, runsInFlight, token$/m,
      /^ +ok +watch-projects +reaches ledger, token, gateway, runsInFlight$/m,
      /^ +PROBLEM +mapping of register-datasets +nothing is taken from the queue Uploads: its mapping is disabled\n +Enable it\.\n +aws lambda update-event-source-mapping --uuid \S+ --enabled$/m,
      /^ +PROBLEM +schedule weeknights's pause +PAUSED schedule weeknights by .*CHG-1042.*\n +To end it:\n +npx --no -- autopilot resume schedule weeknights --data \S+$/m,
      /^ +PROBLEM +schedule reconcile-ledger +it was disabled manually.*\n +Enable it/m,
      /^ +ok +nightly's ids +\d+ of 12 runs ready/m,
      /^ +ok +parked/m,
      /^ +- +alarms +no message leaves this machine/m,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(stdout.trim().split('\n').length).toBeLessThanOrEqual(40);
    expect(code).toBe(4);
  });

  test('tells a gateway that is down, once with its cause and the next step, and at each function that needs it', async () => {
    await it.gateway.close();

    const { code, stdout } = await it.autopilot('doctor', '--json');
    const told: { examined: { title: string; findings: { subject: string; state: string; says: string }[] }[] } =
      JSON.parse(stdout);
    const findings = told.examined.flatMap((part) => part.findings);

    expect(code).toBe(4);
    expect(findings).toContainEqual({
      subject: 'gateway',
      state: 'problem',
      says: expect.stringMatching(/^127.0.0.1:\d+: nothing listens there: the gateway is down \(ECONNREFUSED\)$/),
      next: { says: expect.stringContaining("Ask the gateway's people") },
    });
    const failing = findings.filter(({ says }) => says.startsWith('gateway: ')).map(({ subject }) => subject);
    expect(failing.toSorted()).toEqual([
      'poll-scanner-packages',
      'register-datasets',
      'watch-campaigns',
      'watch-projects',
    ]);
  });
});
