/**
 * Every command of `autopilot` under each policy for people who use it, against the stage that the
 * template declares.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import { commandList } from '#cli/command-list.ts';
import { main } from '#cli/main.ts';
import { type AccessRequest, type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import { type ResolvedAssembly, resourcesOfType } from '#local/template/cloud-assembly.ts';
import { createDynamoDbLedger } from '#shared/aws/dynamodb-ledger.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { keptTerminal } from '../../../builders/kept-terminal.ts';
import { type CommandLine, commandLines, drainLine, type Scene } from '../harness/command-lines.ts';
import {
  type AccessRecord,
  grantsOf,
  refusedWithout,
  type StackGrant,
  withoutGrant,
} from '../harness/grants-of-template.ts';
import { openInProcessStage } from '../harness/in-process-stage.ts';
import { type CommandResult } from '../harness/stage-process.ts';
import { folderOfFile } from '../../../builders/test-folder.ts';

let template: ResolvedAssembly;
let deciding: Authority;
/** What people asked for since the last command line began. */
let asked: AccessRecord[] = [];
const files = folderOfFile();

/** A person has the policy that the authority of now knows. */
function askedNow(request: AccessRequest): AccessRequest {
  const { caller } = request;
  return caller.kind === 'person' ? { ...request, caller: deciding.personCaller(caller.policyName) } : request;
}

const it = await openInProcessStage({
  authorityFor(assembly) {
    template = assembly;
    deciding = createAuthority(assembly, developerKey);
    return { ...deciding, authorize: (request) => noted(request, deciding.authorize(askedNow(request))) };
  },
});
let count = 0;
const { endpoint, region } = it.stage.assembly;
const scene: Scene = {
  autopilot: async (...args) => run(args),
  ledger: createDynamoDbLedger({
    client: new DynamoDBClient({ endpoint, region, credentials: developerKey }),
    tableName: resourcesOfType(it.stage.assembly, 'AWS::DynamoDB::Table')[0]?.physicalId ?? '',
  }),
  file(name, text) {
    const path = join(files, name);
    writeFileSync(path, text);
    return path;
  },
  unique: () => `${Date.now()}`.slice(-5) + String((count += 1)).padStart(3, '0'),
  now: () => new Date(it.clock.now()),
};

afterAll(it.close);

function noted(request: AccessRequest, decision: ReturnType<Authority['authorize']>): typeof decision {
  const { caller, action, resource, context = {} } = request;
  if (caller.kind === 'person') asked.push({ principal: caller.policyArn, action, resource, context });
  return decision;
}

/**
 * The command in this process: it is run some hundred times here, and `cli/autopilot.mjs` only
 * calls it.
 */
async function run(args: readonly string[], input = ''): Promise<CommandResult> {
  const { terminal, written } = keptTerminal({ AUTOPILOT_DATA: it.dataDir });
  // What is piped in.
  const stdin = Object.assign(Readable.from([input]), { isTTY: false }) as never;
  const code = await main(args, { ...terminal, stdin, cwd: () => process.cwd() });
  return { code, stdout: written.out, stderr: written.err, json: () => JSON.parse(written.out) };
}

async function runAs(policy: string, line: CommandLine): Promise<CommandResult> {
  const more = (await line.with?.(scene)) ?? [];
  asked = [];
  return run([...line.words.split(' '), ...more, '--as', policy], 'token\n');
}

test('no policy comes near the 6,144 characters that IAM takes', () => {
  // "Managed policies: 6,144 characters" without white space (IAM User Guide, quotas). Keys of the
  // account add about a thousand.
  for (const { logicalId, properties } of resourcesOfType(template, 'AWS::IAM::ManagedPolicy')) {
    expect(JSON.stringify(properties['PolicyDocument']).length, logicalId).toBeLessThan(5100);
  }
});

test('the lines name every command', () => {
  const words = [...commandLines, drainLine].map(({ words: line }) => line.split(' ')[0]);

  // The console goes on until Ctrl-C. It asks AWS for what the other commands ask.
  expect(new Set([...words, 'console'])).toEqual(new Set(Object.keys(commandList)));
});

const refused = commandLines.filter(({ readerLacks }) => readerLacks !== undefined);
const allowed = commandLines.flatMap((line) => [
  ...(line.readerLacks === undefined ? [['Reader', line.words, line] as const] : []),
  ['Operator', line.words, line] as const,
]);

/** How a line ended, and which permissions it said that it lacks. */
async function endAs(policy: string, line: CommandLine) {
  const { code, stdout, stderr } = await runAs(policy, line);
  const said = `${stdout}${stderr}`;
  return {
    // Done; or parked, passed over or a finding, which are results as well.
    isDone: [0, 4, 5].includes(code ?? -1) && !/a policy denies you|you may not do this/.test(said),
    missing: [...new Set(said.match(/(?<=you lack the permission )\S+/g))],
    stdout,
    last: stderr.trim().split('\n').at(-1) ?? '',
  };
}

/** A reader gets nothing but the permission that is lacking. */
const refusalOf = ({ readerLacks }: CommandLine) => ({
  isDone: false,
  missing: [readerLacks],
  stdout: '',
  last: expect.stringMatching(/^autopilot: you lack the permission \S+ on arn:aws:\S+ \(policies for people/),
});

test.each(allowed)('the policy %s lets a person autopilot %s', async (policy, _words, line) => {
  const missing = policy === 'Reader' && line.words === 'doctor' ? ['lambda:InvokeFunction'] : [];

  expect(await endAs(policy, line)).toMatchObject({ isDone: true, missing });
});

test.each(refused.map((line) => [line.words, line] as const))('refuses a reader autopilot %s', async (_words, line) => {
  expect(await endAs('Reader', line)).toEqual(refusalOf(line));
});

describe.each(['Reader', 'Operator'])('the policy %s', (policy) => {
  test('has no permission too many: without any one, a command says that it is missing', async () => {
    const whole = deciding;
    // A stage that acts asks nothing of the table of what was observed. The policies are made before a mode is.
    const grants = grantsOf(template).filter(
      (grant) => new RegExp(`^${policy}[0-9A-F]{8}$`).test(grant.policy) && !grant.resource.includes('ObservedLedger'),
    );
    const usesOf = new Map<CommandLine, readonly AccessRecord[]>();
    for (const line of commandLines) {
      await runAs(policy, line);
      usesOf.set(line, asked);
    }

    const idle: StackGrant[] = [];
    const silent: string[] = [];
    for (const grant of grants) {
      const line = commandLines.find((one) => refusedWithout(template, grant, usesOf.get(one) ?? []).length > 0);
      if (line === undefined) {
        idle.push(grant);
        continue;
      }
      deciding = createAuthority(withoutGrant(template, grant), developerKey);
      const { stdout, stderr } = await runAs(policy, line).finally(() => (deciding = whole));
      if (!(stdout + stderr).includes(`you lack the permission ${grant.action} on arn:`)) {
        silent.push(`${line.words} without ${grant.action} on ${grant.resource}: ${stdout}${stderr}`);
      }
    }

    expect(idle).toEqual([]);
    expect(silent).toEqual([]);
    expect(grants.length).toBeGreaterThan(15);
  });
});

test('doctor calls a function that a reader may not ask unknown, and no problem', async () => {
  const { stdout } = await run(['doctor', '--as', 'Reader']);

  expect(stdout).toMatch(
    /^ +- +update-campaign-runs +cannot be asked: you lack the permission lambda:InvokeFunction on/m,
  );
  expect(stdout).toMatch(/^ +ok +answer-questions +reaches /m);
});

test('a policy that the stage does not have is no way in', async () => {
  const { code, stderr } = await run(['status', '--as', 'Administrator']);

  expect(code).toBe(3);
  expect(stderr).toContain(
    'the stage has no policy for people "Administrator": it has DatasetsWriter, StartingDatasetsWriter',
  );
});

// The last: it freezes the stage.
test('an operator drains the pools, and a reader does not', async () => {
  expect(await endAs('Reader', drainLine)).toEqual(refusalOf(drainLine));
  expect(await endAs('Operator', drainLine)).toMatchObject({ isDone: true, missing: [] });
});
