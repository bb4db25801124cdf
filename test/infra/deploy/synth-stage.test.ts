import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configParts } from '#infra/config/config-parts.ts';
import { loadAutomation } from '#infra/config/load-automation.ts';
import { bootstrapStage, diffStage, synthStage } from '#infra/deploy/run-command.ts';
import { packageFolder } from '#shared/places.ts';
import { runWith } from './fake-terminal.ts';

describe('autopilot synth', () => {
  test('makes the templates, has them judged, says where they lie, and calls no CDK', async () => {
    const { exitCode, calls, said } = await runWith(synthStage, '--stage prod');

    expect(exitCode).toBe(0);
    expect(calls).toEqual([expect.objectContaining({ program: 'app', CDK_VALIDATION: 'true' })]);
    expect(said).toMatch(/^The templates of prod lie in .*assembly\/prod\n$/);
  });

  test('fails if the app does', async () => {
    const { refusal, exitCode } = await runWith(synthStage, '--stage prod', { answers: { synth: { exitCode: 1 } } });

    expect(refusal).toBe('prod cannot be synthesized, as it says above');
    expect(exitCode).toBe(1);
  });

  test('refuses a stage of this machine: there is nothing to deploy', async () => {
    const { refusal, calls } = await runWith(synthStage, '--stage local');

    expect(refusal).toContain('is for one machine');
    expect(calls).toEqual([]);
  });
});

test('autopilot diff shows what the assembly would change, and deploys nothing', async () => {
  const { exitCode, cdk } = await runWith(diffStage, '--stage prod --region eu-west-1');

  expect(exitCode).toBe(0);
  expect(cdk).toEqual(['synth', 'diff --no-fail --app BUILD/assembly/prod --region eu-west-1']);
});

// A changed setting was a new hash of a file: a halved stopAfter was not seen.
test('autopilot diff says which settings change, by their path, with the old and the new value', async () => {
  const { automation } = await loadAutomation({
    configPath: join(packageFolder, 'automation.config.ts'),
    stage: 'prod',
  });
  const deployed = structuredClone(configParts(automation)['answer-questions']);
  const settings = {
    ...deployed,
    runs: { nightly: { ...deployed.runs['nightly'], stopAfter: 'PT6H', budget: 3 } },
    schedules: deployed.schedules.map((one) => ({
      ...one,
      ...(one.name === 'weeknights' ? { validFor: 'PT5M' } : {}),
    })),
  };

  const { said } = await runWith(diffStage, '--stage prod', { settings });
  const same = await runWith(diffStage, '--stage prod', { settings: deployed });
  const first = await runWith(diffStage, '--stage prod');

  expect(said).toContain('\nSettings that change\n');
  expect(said).toContain('  runs.nightly.stopAfter: PT6H → PT8H\n');
  expect(said).toContain('  runs.nightly.budget: 3 (removed)\n');
  expect(said).toContain('  runs.smoke.stopAfter: PT2H (new)\n');
  expect(said).toContain('  schedules.weeknights.validFor: PT5M → PT30M\n');
  expect(said.match(/→/g)).toHaveLength(2);
  expect(same.said).toContain('No setting of campaigns, schedules, datasets, watches or notices changes.');
  expect(first.said).not.toMatch(/[Ss]etting/);
});

test('autopilot diff says why it does not know which settings change', async () => {
  const { exitCode, said } = await runWith(diffStage, '--stage prod', { settings: new Error('no right') });

  expect(exitCode).toBe(0);
  expect(said).toContain('Which settings change is not known, since the deployed stage does not say its own: no right');
});

// `npx cdk bootstrap` wants a cdk.json, which the folder of a stage does not have.
test('bootstrap prepares the account and the region that the stage goes to', async () => {
  const { exitCode, cdk } = await runWith(bootstrapStage, '--stage prod --profile people');

  expect(exitCode).toBe(0);
  expect(cdk).toEqual(['synth', 'bootstrap --app BUILD/assembly/prod --profile people']);
});

test('autopilot bootstrap hands the policy that a person names to CloudFormation, and else says what it gets', async () => {
  const policy = 'arn:aws:iam::123456789012:policy/for-stages';
  const scoped = await runWith(bootstrapStage, `--stage prod --execution-policy ${policy}`);
  const open = await runWith(bootstrapStage, '--stage prod');

  expect(scoped.cdk).toContain(`bootstrap --cloudformation-execution-policies ${policy} --app BUILD/assembly/prod`);
  expect(scoped.said).not.toContain('AdministratorAccess');
  expect(open.said).toContain('CloudFormation gets AdministratorAccess here: --execution-policy ARN');
});
