import type { LineSpec } from '#shared/text/program-arguments.ts';
import { docPage } from '#shared/places.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';
import {
  askOnTerminal,
  type DeployDeps,
  Refusal,
  stageCommand,
  stageOfLine,
  type StageOptions,
  stageLineWords,
} from './stage-options.ts';
import { printedLine } from '#shared/text/printed-line.ts';
import { type OpenAssembly, openAssembly, unprotectCommand } from './open-stage.ts';
/** What `autopilot destroy` takes. */
export const destroySpec: LineSpec = {
  says: 'Destroys the functions, schedules and alarms of a stage; ledger, bucket, token and queues stay.',
  more: 'A deployment goes on with what stays. What holds data stays even with --state.',
  options: {
    ...stageOfLine,
    '--yes': 'do not ask, for pipelines',
    '--state': 'the stack of the state as well, once its protection was taken off',
  },
  examples: ['autopilot destroy --stage test', 'autopilot destroy --stage test --state'],
};

/** Where docs say how the rest is removed. */
const page = `${docPage('deploying.md')}, "Removing a stage"`;

/** Destroys the workers of a stage; its state only if a person at a terminal asks for it by name. */
export const destroyStage = stageCommand('destroy', destroySpec, async (options, deps) => {
  const withState = options.line.flag('state');
  const isAgreed = options.line.flag('yes') && !withState;
  if (!isAgreed && deps.stdin.isTTY !== true) {
    throw new Refusal(
      withState
        ? 'the state of a stage is destroyed by a person at a terminal only'
        : 'there is no terminal to ask at: add --yes to destroy the workers without a question',
    );
  }
  const stage = await openAssembly(options, deps);
  const { state, workers } = stackNames(options.stage);
  const say = (line: string) => deps.stderr.write(`${line}\n`);

  for (const line of withState ? aboutBoth(options) : aboutWorkers(options)) say(line);
  if (!isAgreed && !(await isMeant(options, withState, deps))) {
    say('Nothing was destroyed.');
    return 1;
  }
  await stage.synthesize({ validates: false });
  await drainPools(stage, say);
  await stage.cdk('destroy', workers, '--exclusively', '--force');
  if (withState) await stage.cdk('destroy', state, '--exclusively', '--force');
  say(withState ? `Both stacks are gone. What holds data is still there: ${page}.` : `${workers} is gone.`);
  return 0;
});

/** Once the workers are gone, nothing cancels what they made. */
async function drainPools({ automation, autopilot }: OpenAssembly, say: (line: string) => void): Promise<void> {
  if (automation.gateway.makesRuns !== true) return;
  const { exitCode } = await autopilot('drain');
  say('The stage stays frozen, also after the next deployment: autopilot thaw ends that.');
  if (exitCode !== 0) say('What is left at the gateway begins in two years, unless it is cancelled there.');
}

async function isMeant({ stage }: StageOptions, withState: boolean, deps: DeployDeps): Promise<boolean> {
  if (withState) return (await askOnTerminal('The name of the stage, to destroy both stacks: ', deps)) === stage;
  return /^y(?:es)?$/i.test(await askOnTerminal(`Destroy ${stackNames(stage).workers}? [y/N] `, deps));
}

function stopFirst(options: StageOptions): readonly string[] {
  const words = ['stop', '--all-in-flight', '--reason', 'TEXT', '--yes', '--aws', ...stageLineWords(options)];
  return ['To stop them first, with your reason in the place of TEXT:', `  ${printedLine(words)}`];
}

function aboutWorkers(options: StageOptions): readonly string[] {
  const { state, workers } = stackNames(options.stage);
  return [
    `${workers} goes: functions, schedules, alarms. Unused runs that were made ahead are cancelled first. Nothing is started any more, and runs that are in flight go on.`,
    ...stopFirst(options),
    `${state} stays, with everything that was recorded, uploaded or is still waiting. This goes on with it:`,
    `  ${printedLine(['deploy', ...stageLineWords(options)])}`,
  ];
}

function aboutBoth(options: StageOptions): readonly string[] {
  const { state, workers } = stackNames(options.stage);
  return [
    `${workers} and ${state} go. Runs that are in flight go on.`,
    ...stopFirst(options),
    `${state} is protected from being deleted, and this does not take that off:`,
    `  ${unprotectCommand(options)}`,
    'Table, bucket, secret, queues and bus stay even then, belonging to no stack. Write down which they are, before:',
    `  aws cloudformation describe-stack-resources --stack-name ${state} --query "StackResources[].[ResourceType,PhysicalResourceId]" --output table`,
    `How each is removed: ${page}.`,
  ];
}
