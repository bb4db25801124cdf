import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deployStage } from '#infra/deploy/deploy-stage.ts';
import { runWith, type World } from './fake-terminal.ts';

const state = 'GatewayAutopilot-prod-State';
const differs = {
  diff: { says: '\u001B[32m✨  Number of stacks with differences: 2\u001B[39m\n' },
  [`deploy ${state}`]: { says: `\u001B[32m ✅  ${state} (no changes)\u001B[39m\n` },
};
const deploy = async (line: string, world: World = {}) => runWith(deployStage, line, world);

/** One synthesis, from which everything else is done. */
const whole = [
  'synth',
  'diff --no-fail --app BUILD/assembly/prod',
  'deploy --all --require-approval never --app BUILD/assembly/prod',
];
const plan = `deploy ${state} --exclusively --require-approval never --method prepare-change-set --app BUILD/assembly/prod`;

describe('autopilot deploy', () => {
  test('shows what differs, asks once, and deploys the very assembly that was shown', async () => {
    const { exitCode, cdk, said } = await deploy('--stage prod', { typed: 'y\n', answers: differs });

    expect(cdk).toEqual(whole);
    expect(exitCode).toBe(0);
    expect(said.match(/\[y\/N\]/g)).toHaveLength(1);
    expect(said.indexOf('Number of stacks with differences')).toBeLessThan(said.indexOf('[y/N]'));
  });

  test.each(['n\n', '\n', '', 'yep\n', 'prod\n'])('deploys nothing if the answer is %j', async (typed) => {
    const { exitCode, cdk, said } = await deploy('--stage prod', { typed, answers: differs });

    expect(cdk.map((call) => call.split(' ')[0])).toEqual(['synth', 'diff']);
    expect(exitCode).toBe(1);
    expect(said).toContain('Nothing was deployed.');
  });

  test('asks nothing with --yes and without a terminal', async () => {
    const { exitCode, cdk, said } = await deploy('--stage prod --yes', { answers: differs });

    expect(cdk).toEqual(whole.toSpliced(2, 0, plan));
    expect(exitCode).toBe(0);
    expect(said).not.toContain('[y/N]');
  });

  test('has the templates judged, sends no telemetry and fetches no notices, whatever the environment says', async () => {
    const { calls } = await deploy('--stage prod --yes', { answers: differs, env: { CDK_VALIDATION: 'false' } });

    expect(calls[0]).toMatchObject({ program: 'app', CDK_VALIDATION: 'true' });
    const ofCdk = calls.filter(({ program }) => program === 'cdk');
    for (const { args, CDK_DISABLE_CLI_TELEMETRY } of ofCdk) {
      expect(args).toContain('--no-notices');
      expect(CDK_DISABLE_CLI_TELEMETRY).toBe('true');
    }
  });

  test('names profile and region to whatever it calls', async () => {
    const { calls } = await deploy('--stage prod --yes --profile work --region eu-west-1', { answers: differs });

    expect(calls).toHaveLength(5);
    for (const { args } of calls.slice(1)) {
      expect(args.slice(args.indexOf('--profile')).slice(0, 4)).toEqual(['--profile', 'work', '--region', 'eu-west-1']);
    }
  });

  test('deploys nothing if nothing differs, and asks nothing', async () => {
    const answers = { diff: { says: '✨  Number of stacks with differences: 0\n' } };

    const { exitCode, cdk, said } = await deploy('--stage prod', { typed: 'y\n', answers });

    expect(cdk).toHaveLength(2);
    expect(exitCode).toBe(0);
    expect(said).toContain('Nothing differs');
    expect(said).not.toContain('[y/N]');
  });

  test('puts back what was changed by hand if nothing differs: no template knows of it', async () => {
    const answers = { diff: { says: '✨  Number of stacks with differences: 0\n' } };

    const { exitCode, cdk, said } = await deploy('--stage prod --revert-drift', { typed: 'y\n', answers });

    expect(cdk.at(-1)).toBe('deploy --all --require-approval never --revert-drift --app BUILD/assembly/prod');
    expect(exitCode).toBe(0);
    expect(said).toContain('put back what was changed by hand? [y/N]');
  });

  test('ends with what the doctor says of the stage', async () => {
    const { calls, said } = await deploy('--stage prod --yes', {
      answers: { ...differs, doctor: { says: 'everything is well\n' } },
    });

    expect(calls.at(-1)).toMatchObject({ program: 'autopilot', args: ['doctor', '--aws', '--stage', 'prod'] });
    expect(said).toMatch(/everything is well\n$/);
  });

  test('says what a first deployment lacks if the doctor finds something, and has deployed all the same', async () => {
    const { exitCode, said } = await deploy('--stage prod --yes', {
      answers: { ...differs, doctor: { says: 'PROBLEM the token has no value\n', exitCode: 1 } },
    });

    expect(exitCode).toBe(0);
    expect(said).toContain('npx --no -- autopilot token set --aws --stage prod');
    expect(said).toContain('soc@example.com has a mail from AWS to confirm');
  });
});

describe('a deployment of mode: observe', () => {
  const configPath = join(import.meta.dirname, 'fixture', 'observe.config.ts');
  const observing = { configPath, answers: differs } as const;
  const startedRuns = ['nightly (r-1)', 'smoke (r-2)'];

  test('over runs in flight deploys nothing, and names them and what stops them', async () => {
    const { exitCode, refusal, cdk } = await deploy('--stage prod --yes', { ...observing, startedRuns });

    expect(exitCode).toBe(4);
    expect(refusal).toMatch(/^Nothing was deployed: .*\n {2}nightly \(r-1\)\n {2}smoke \(r-2\)\n/);
    expect(refusal).toContain('autopilot stop --all-in-flight --reason TEXT --yes --aws --stage prod');
    expect(cdk.map((call) => call.split(' ')[0])).toEqual(['synth', 'diff']);
  });

  test('is refused if the runs in flight cannot be read', async () => {
    const { refusal } = await deploy('--stage prod --yes', { ...observing, startedRuns: new Error('no right') });

    expect(refusal).toMatch(/cannot be read, .*: no right; --force/);
  });

  test.each([
    ['with --force', '--stage prod --yes --force', { ...observing, startedRuns }],
    ['if nothing is in flight', '--stage prod --yes', observing],
    ['if the stage acts', '--stage prod --yes', { answers: differs, startedRuns }],
  ])('is made %s', async (_when, line, world) => {
    const { exitCode, cdk } = await deploy(line, world);

    expect(exitCode).toBe(0);
    expect(cdk.at(-1)).toMatch(/^deploy --all/);
  });
});

/** What the CDK or AWS says, at which call, and the line that a person gets. */
const failures: readonly (readonly [call: string, says: string, line: string])[] = [
  [
    'diff',
    'Unable to resolve AWS account to use. It must be either configured when you define your CDK Stack, or through the environment',
    'there are no AWS credentials here: aws sso login or --profile NAME, then repeat',
  ],
  [
    'deploy',
    'Need to perform AWS calls for account 123456789012, but no credentials have been configured',
    'there are no AWS credentials here: aws sso login or --profile NAME, then repeat',
  ],
  [
    'diff',
    'ExpiredTokenException: The security token included in the request is expired',
    'your AWS credentials have expired: sign in again (aws sso login), then repeat',
  ],
  [
    'diff',
    'UnrecognizedClientException: The security token included in the request is invalid.',
    'AWS does not know your credentials: look at them with aws sts get-caller-identity, then repeat',
  ],
  [
    'diff',
    'ConfigError: Missing region in config',
    'no AWS region is set: --region NAME, or one in the profile, then repeat',
  ],
  [
    'deploy',
    "GatewayAutopilot-prod-State: SSM parameter /cdk-bootstrap/hnb659fds/version not found in aws://1/eu-west-1. Has the environment been bootstrapped? Please run 'cdk bootstrap'",
    'this account and region are not ready for the CDK, or by an old version of it: `npx --no -- autopilot bootstrap --stage prod`, once, then repeat',
  ],
  [
    'deploy',
    "GatewayAutopilot-prod-State: This CDK deployment requires bootstrap stack version '30', found '6' in aws://1/eu-west-1. Please run 'cdk bootstrap'.",
    'this account and region are not ready for the CDK, or by an old version of it: `npx --no -- autopilot bootstrap --stage prod`, once, then repeat',
  ],
  [
    'diff',
    'The template for stack "GatewayAutopilot-prod-State" is 61KiB. Templates larger than 50KiB must be uploaded to S3.',
    'this account and region are not ready for the CDK, or by an old version of it: `npx --no -- autopilot bootstrap --stage prod`, once, then repeat',
  ],
  [
    'deploy',
    "No bucket named 'cdk-hnb659fds-assets-123456789012-eu-west-1'. Is account 123456789012 bootstrapped?",
    "the bucket cdk-hnb659fds-assets-123456789012-eu-west-1 of the CDK's bootstrap is missing. If the stack CDKToolkit is still there: `aws cloudformation delete-stack --stack-name CDKToolkit`. Then `npx --no -- autopilot bootstrap --stage prod`, and repeat",
  ],
  [
    'deploy',
    "Bucket named 'cdk-hnb659fds-assets-123456789012-eu-west-1' exists, but we dont have access to it.",
    "the bucket cdk-hnb659fds-assets-123456789012-eu-west-1 of the CDK's bootstrap is closed to you: deploy as a role that may use it, or look whose it is, then repeat",
  ],
  [
    'deploy',
    '8:01:02 AM | CREATE_FAILED | AWS::S3::Bucket | Bucket/Default\nResource handler returned message: "gateway-autopilot-prod-123456789012-eu-west-1 already exists (Service: S3, Status Code: 0, Request ID: null)" (RequestToken: b585dd79-6b6f-c251-8a0b-8698b31d8e08, HandlerErrorCode: AlreadyExists)',
    'gateway-autopilot-prod-123456789012-eu-west-1 is in the account already, kept from when it left a stack: docs/deploying.md, "Back to what was kept", says how to go on with it',
  ],
  [
    'deploy',
    "Early validation failed for stack 'GatewayAutopilot-prod-State' (ChangeSet 'cdk-deploy-change-set'):\n  - Resource of type 'AWS::Events::EventBus' with identifier 'gateway-autopilot-prod' already exists. (at /Resources/Bus/Properties/Name)",
    'gateway-autopilot-prod is in the account already, kept from when it left a stack: docs/deploying.md, "Back to what was kept", says how to go on with it',
  ],
  [
    'deploy',
    'Stack [GatewayAutopilot-prod-State] cannot be deleted while TerminationProtection is enabled',
    'GatewayAutopilot-prod-State is protected from being deleted: `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name GatewayAutopilot-prod-State`, then repeat',
  ],
  ['synth', 'a finding of a rule', 'prod cannot be synthesized, as it says above'],
  ['deploy', 'UPDATE_ROLLBACK_COMPLETE', 'cdk deploy failed, as it says above'],
];

/** What the CDK says of a profile without credentials, and of one that asks for an MFA code, seen with aws-cdk 2.1148.1. */
const withoutAccount: World = {
  answers: { diff: { says: 'Unable to resolve AWS account to use. It must be either configured', exitCode: 1 } },
};

beforeEach(() => {
  vi.stubEnv('AWS_CONFIG_FILE', join(import.meta.dirname, 'fixture/aws-config'));
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(import.meta.dirname, 'fixture/aws-credentials'));
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
});
afterEach(() => void vi.unstubAllEnvs());

describe('a failure is said in one line, and nothing more is called', () => {
  test.each(failures)('of cdk %s: %s', async (call, says, line) => {
    const { refusal, exitCode, cdk, calls } = await deploy('--stage prod --yes', {
      answers: { ...differs, [call]: { says, exitCode: 1 } },
    });

    expect(refusal).toBe(line);
    expect(exitCode).toBe(1);
    expect(cdk.at(-1)).toMatch(new RegExp(String.raw`^${call}\b`));
    expect(calls.some(({ program }) => program === 'autopilot')).toBe(false);
  });

  test.each([
    ['--profile people', {}, 'people'],
    ['', { AWS_PROFILE: 'people' }, 'people'],
    ['--profile through-another', { AWS_PROFILE: 'keys' }, 'through-another'],
  ])('a profile that asks for an MFA code is named: %s %o', async (option, env, profile) => {
    const { refusal, exitCode } = await deploy(`--stage prod --yes ${option}`, { ...withoutAccount, env });

    expect(refusal).toBe(
      `the profile ${profile} asks for an MFA code, and nothing here can enter one: eval "$(aws configure export-credentials --profile ${profile} --format env)", then repeat without --profile and AWS_PROFILE`,
    );
    expect(exitCode).toBe(1);
  });

  test.each(['keys', 'nowhere'])('the profile %s asks for no MFA code', async (profile) => {
    const { refusal } = await deploy(`--stage prod --yes --profile ${profile}`, withoutAccount);

    expect(refusal).toBe('there are no AWS credentials here: aws sso login or --profile NAME, then repeat');
  });

  test('the name of a parameter in a diff is no account that is not bootstrapped', async () => {
    const says = `[+] Parameter BootstrapVersion: {"Default":"/cdk-bootstrap/hnb659fds/version"}\nthe network is down`;

    const { refusal } = await deploy('--stage prod --yes', { answers: { diff: { says, exitCode: 1 } } });

    expect(refusal).toBe('cdk diff failed, as it says above');
  });
});

/** A command line, and the one line that it gets before anything is called. */
const refusals: readonly (readonly [line: string, refusal: RegExp])[] = [
  ['', /^which stage\? --stage NAME$/],
  ['--stage', /^option '--stage <NAME>' argument missing: npx --no -- autopilot deploy --help$/],
  ['--stage= --yes', /^--stage needs a value/],
  ['--sage prod', /^unknown option '--sage' \(did you mean --stage\?\)/],
  ['--stage prod --state', /^unknown option '--state'/],
  ['prod', /^unexpected argument "prod"/],
  ['--stage nowhere --yes', /automation\.config\.ts has no stage "nowhere"; it has: local, prod$/],
  ['--stage local --yes', /^the stage local is for one machine. To run it: npx --no -- autopilot start --stage local$/],
  ['--stage chaos --yes', /^the stage chaos is for one machine/],
  ['--stage prod --allow-replace LedgerB7379752', /^--allow-replace goes with --yes/],
  ['--stage prod --yes --allow-replace', /^option '--allow-replace <ID>' argument missing/],
  ['--stage prod', /^there is no terminal to ask at: add --yes/],
];

test.each(refusals)('deploy %s is refused in one line', async (line, refusal) => {
  const course = await deploy(line);

  expect(course.refusal).toMatch(refusal);
  expect(course.refusal).not.toContain('\n');
  expect(course.calls).toEqual([]);
});

test('an address of the run on one machine that is left over is no account', async () => {
  const { refusal, calls } = await deploy('--stage prod --yes', { env: { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' } });

  expect(refusal).toBe('AWS_ENDPOINT_URL is http://127.0.0.1:4566, which is this machine: unset it');
  expect(calls).toEqual([]);
});

test('a program that cannot be run at all is an error that names it', async () => {
  await expect(
    runWith(async (argv, deps) => deployStage(argv, { ...deps, cdk: ['/nowhere/cdk'] }), '--stage prod --yes'),
  ).rejects.toThrow('/nowhere/cdk cannot be run');
});
