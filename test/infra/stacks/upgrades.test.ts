import { beforeAll, describe, expect, test } from 'vitest';
import { validDocument } from '../../unit/shared/config/document.ts';
import { configurations, ofType, type StageTemplates, synthesize, textAt } from '../template.ts';
import { allOptions, touched } from './options.ts';
import { changesBetween, stageWith } from './stage-with.ts';

/**
 * What the workers' stack imports of the state's. To export more costs nothing. To drop one takes
 * two deployments, since CloudFormation removes no export that is in use, and it deploys the state
 * first: one in which the workers no longer import it, and one without it here
 * (docs/architecture.md, "Two stacks").
 */
const exported: readonly string[] = [
  'FnGetAttBusEA82B648ArnBC65BB77',
  'FnGetAttCommands361DBF70ArnE1944329',
  'FnGetAttCommands361DBF70QueueNameACABD6FC',
  'FnGetAttCommandsDeadLetters83B72B42ArnB44C90A4',
  'FnGetAttCommandsDeadLetters83B72B42QueueName447FAA19',
  'FnGetAttLedgerB7379752Arn8FB7B3DC',
  'FnGetAttLinkTesterRole6BE5ED89RoleIdA1C1F33A',
  'FnGetAttObservedLedger242337BAArn4297D251',
  'FnGetAttSchedulesDeadLettersD054CDCCArnEA48A310',
  'FnGetAttSchedulesDeadLettersD054CDCCQueueNameD999591C',
  'FnGetAttUploads4F6EB0FDArn5513CBEA',
  'FnGetAttUploads4F6EB0FDQueueName5CB4001B',
  'FnGetAttUploadsDeadLetters990BC9BAArnB7F7F95D',
  'FnGetAttUploadsDeadLetters990BC9BAQueueNameB2FC4B8F',
  'RefBusEA82B6486A28F94F',
  'RefCommands361DBF70663763FA',
  'RefLedgerB73797523D89D608',
  'RefObservedLedger242337BA511B6E98',
  'RefToken92EBEB97',
  'RefUploads4F6EB0FDCD8CB653',
];

/** Without what each begins with: the stack, and CDK's own words. */
function exportsOf({ state }: StageTemplates): string[] {
  return Object.values(state.outputs)
    .map(({ Export }) => textAt(Export, 'Name').replace(`${state.name}:ExportsOutput`, ''))
    .filter((name) => name !== '')
    .toSorted();
}

describe('the seam between the two stacks', () => {
  test('is what it was: the workers import the same of the state', async () => {
    expect(exportsOf(await synthesize(configurations.example))).toEqual(exported);
  });

  test('is the same whatever is configured, but for keys: no other setting that is taken back drops an export', async () => {
    const [second, withAll] = await Promise.all([synthesize(configurations.second), stageWith(allOptions, 'prod')]);

    expect(exportsOf(second)).toEqual(exported);
    const more = exportsOf(withAll).filter((name) => !exported.includes(name));
    expect(exportsOf(withAll).filter((name) => exported.includes(name))).toEqual(exported);
    expect(more.map((name) => name.replace(/[0-9A-F]{8}Arn.*$/, ''))).toEqual([
      'FnGetAttKeysBucket',
      'FnGetAttKeysLedger',
      'FnGetAttKeysQueues',
      'FnGetAttKeysToken',
    ]);
  });
});

test.each<[string, { readonly encryption?: 'customer-managed' }]>([
  ['keys of AWS', {}],
  ['keys of its own', { encryption: 'customer-managed' }],
])(
  'a stage with %s goes over to an existing bucket in one deployment, and keeps what read the old one',
  async (_of, keys) => {
    const uploadsBucket = { name: 'team-datasets' };
    const [before, after] = await Promise.all([
      stageWith({ deployment: keys }, 'prod'),
      stageWith({ deployment: { ...keys, uploadsBucket } }, 'prod'),
    ]);

    // The state goes first, while the workers of before still import.
    expect(exportsOf(after)).toEqual(expect.arrayContaining(exportsOf(before)));
    const kinds = changesBetween(before, after).removed.map((id) => {
      const { Type = '', DeletionPolicy = '' } = before.state.resources[id] ?? {};
      return `${Type} ${DeletionPolicy.replace('ExceptOnCreate', '')}`;
    });
    expect([...new Set(kinds)].toSorted()).toEqual(['AWS::S3::Bucket Retain', 'AWS::S3::BucketPolicy Retain']);
  },
);

function idOfSchedule(stage: StageTemplates, name: string): string | undefined {
  return ofType(stage.workers, 'AWS::Scheduler::Schedule').find(
    ([, { Properties }]) => Properties['Name'] === name,
  )?.[0];
}

describe('a changed configuration', () => {
  const { campaigns, schedules = [] } = validDocument();
  let before: StageTemplates;

  beforeAll(async () => {
    before = await stageWith({}, 'prod');
  });

  test('changes one schedule if one time is another, and the functions that know schedules', async () => {
    const later = schedules.map((one) =>
      one.name === 'weeknights' ? { ...one, at: 'cron(0 23 ? * MON-FRI *)' } : one,
    );

    const after = await stageWith({ schedules: later }, 'prod');

    expect(changesBetween(before, after)).toEqual({
      added: [],
      removed: [],
      changed: [
        expect.stringMatching(/^AnswerQuestionsFunction[0-9A-F]{8}$/),
        expect.stringMatching(/^ParkDeadLettersFunction[0-9A-F]{8}$/),
        expect.stringMatching(/^ReconcileLedgerFunction[0-9A-F]{8}$/),
        idOfSchedule(before, 'weeknights'),
        expect.stringMatching(/^UpdateCampaignRunsFunction[0-9A-F]{8}$/),
      ],
    });
    expect(touched(before, after)).toEqual([
      'AWS::Lambda::Function Code',
      'AWS::Scheduler::Schedule ScheduleExpression',
    ]);
  });

  test('adds one schedule and keeps the ids of the others, wherever it is written', async () => {
    const first = { name: 'sunday', stop: 'nightly', at: 'cron(0 6 ? * SUN *)' };

    const after = await stageWith({ schedules: [first, ...schedules] }, 'prod');

    expect(changesBetween(before, after)).toEqual({
      added: [idOfSchedule(after, 'sunday')],
      removed: [],
      changed: ['AnswerQuestions', 'ParkDeadLetters', 'UpdateCampaignRuns'].map((name) =>
        expect.stringMatching(new RegExp(`^${name}Function[0-9A-F]{8}$`)),
      ),
    });
  });

  test('changes the code of the functions that know runs if a run is another, and nothing that keeps data', async () => {
    const chat = {
      ...campaigns['chat'],
      runs: { ...campaigns['chat']?.runs, extra: { campaignRunIds: [], stopAfter: '1 hour' } },
    };

    const after = await stageWith({ campaigns: { chat } }, 'prod');

    expect(touched(before, after)).toEqual(['AWS::Lambda::Function Code']);
    const { added, removed, changed } = changesBetween(before, after);
    expect([...added, ...removed]).toEqual([]);
    expect(changed.map((id) => id.replace(/Function[0-9A-F]{8}$/, ''))).toEqual([
      'AnswerQuestions',
      'UpdateCampaignRuns',
    ]);
  });
});
