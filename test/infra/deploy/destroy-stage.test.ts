import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { destroyStage } from '#infra/deploy/destroy-stage.ts';
import { sectionOf } from '../../unit/docs/documents/markdown.ts';
import { allOptions } from '../stacks/options.ts';
import { stageWith } from '../stacks/stage-with.ts';
import { runWith, type World } from './fake-terminal.ts';

const destroy = async (line: string, world: World = {}) => runWith(destroyStage, line, world);
const [state, workers] = ['GatewayAutopilot-prod-State', 'GatewayAutopilot-prod-Workers'];
const destroying = (stack: string) => `destroy ${stack} --exclusively --force --app BUILD/assembly/prod`;

describe('npm run destroy', () => {
  test.each([
    ['--stage prod', 'y\n'],
    ['--stage prod --yes', undefined],
  ])('%s destroys the workers, and never the state', async (line, typed) => {
    const { exitCode, cdk } = await destroy(line, typed === undefined ? {} : { typed });

    expect(cdk).toEqual(['synth', destroying(workers)]);
    expect(cdk.join('\n')).not.toContain(state);
    expect(exitCode).toBe(0);
  });

  test.each(['n\n', '', 'prod\n'])('destroys nothing if the answer is %j', async (typed) => {
    const { exitCode, calls, said } = await destroy('--stage prod', { typed });

    expect(calls).toEqual([]);
    expect(exitCode).toBe(1);
    expect(said).toContain('Nothing was destroyed.');
  });

  test('says before it asks what goes, what stays, and that nothing stops what is in flight', async () => {
    const { said } = await destroy('--stage prod', { typed: 'n\n' });

    const before = said.slice(0, said.indexOf('[y/N]'));
    expect(before).toContain(`${workers} goes`);
    expect(before).toContain(`${state} stays`);
    expect(before).toContain('npx --no -- autopilot stop --all-in-flight --reason TEXT --yes --aws --stage prod\n');
  });
});

describe('npm run destroy with --state', () => {
  test('destroys both if a person types the name of the stage, the workers first', async () => {
    const { exitCode, cdk } = await destroy('--stage prod --state', { typed: 'prod\n' });

    expect(cdk).toEqual(['synth', destroying(workers), destroying(state)]);
    expect(exitCode).toBe(0);
  });

  test.each(['y\n', 'yes\n', 'PROD\n', 'prod-State\n', '\n', ''])(
    'destroys nothing where %j is typed',
    async (typed) => {
      const { exitCode, calls } = await destroy('--stage prod --state', { typed });

      expect(calls).toEqual([]);
      expect(exitCode).toBe(1);
    },
  );

  test('is not to be had by --yes', async () => {
    const { calls, exitCode } = await destroy('--stage prod --state --yes', { typed: 'y\n' });

    expect(calls).toEqual([]);
    expect(exitCode).toBe(1);
  });

  test.each(['--stage prod --state', '--stage prod --state --yes'])(
    '%s is refused without a terminal',
    async (line) => {
      const { refusal, calls } = await destroy(line);

      expect(refusal).toBe('the state of a stage is destroyed by a person at a terminal only');
      expect(calls).toEqual([]);
    },
  );

  test('says before it asks that protection and data stay, and how each goes by hand', async () => {
    const { said } = await destroy('--stage prod --state', { typed: '\n' });

    const before = said.slice(0, said.indexOf('The name of the stage'));
    expect(before).toContain(
      `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${state}`,
    );
    expect(before).toContain(`aws cloudformation describe-stack-resources --stack-name ${state}`);
    expect(before).toContain('docs/deploying.md, "Removing a stage"');
  });

  test('leaves the state alone if the workers could not be destroyed', async () => {
    const { cdk, exitCode } = await destroy('--stage prod --state', {
      typed: 'prod\n',
      answers: { [`destroy ${workers}`]: { says: 'DELETE_FAILED', exitCode: 1 } },
    });

    expect(cdk.at(-1)).toBe(destroying(workers));
    expect(exitCode).toBe(1);
  });

  test('says in one line what to do if the stack is protected', async () => {
    const { refusal } = await destroy('--stage prod --state', {
      typed: 'prod\n',
      answers: {
        [`destroy ${state}`]: {
          says: `Stack [${state}] cannot be deleted while TerminationProtection is enabled`,
          exitCode: 1,
        },
      },
    });

    expect(refusal).toMatch(/^GatewayAutopilot-prod-State is protected from being deleted: `aws cloudformation /);
  });
});

test('docs/deploying.md says how each kind of resource goes that stays without its stack', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/deploying.md'), 'utf8');
  const rows = [...sectionOf(page, 'Removing a stage').matchAll(/^\| `(AWS::\w+::\w+)` \|/gm)].map(
    ([, type = '']) => type,
  );
  const stages = await Promise.all(
    [{}, { deployment: { ...allOptions.deployment, encryption: 'customer-managed' as const } }].map(async (changes) =>
      stageWith(changes, 'prod'),
    ),
  );

  const kept = stages
    .flatMap((stage) => [...Object.values(stage.state.resources), ...Object.values(stage.workers.resources)])
    .filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain'))
    .map(({ Type }) => Type);

  expect(rows.toSorted()).toEqual([...new Set(kept)].toSorted());
});
