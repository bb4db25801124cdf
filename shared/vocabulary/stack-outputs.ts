/** The two stacks of a stage. */
export function stackNames(stage: string): { readonly state: string; readonly workers: string } {
  return { state: `GatewayAutopilot-${stage}-State`, workers: `GatewayAutopilot-${stage}-Workers` };
}

/** The schedule group that holds a stage's schedules, under their configured names. */
export function scheduleGroupName(stage: string): string {
  return `gateway-autopilot-${stage}`;
}

/** The topic of a stage's alarms: policies name it before it is deployed. */
export function alarmTopicName(stage: string): string {
  return `gateway-autopilot-${stage}-alarms`;
}

/** How the name of a stage's own bucket begins; account and region follow. */
export function ownBucketBegin(stage: string): string {
  return `gateway-autopilot-${stage}-`;
}

/** Outputs of the state stack. */
export const stateOutputs = [
  'LedgerTableName',
  'ObservedLedgerTableName',
  'BucketName',
  'TokenSecretArn',
  'CommandsQueueUrl',
  'CommandsDeadLetterQueueUrl',
  'UploadsQueueUrl',
  'UploadsDeadLetterQueueUrl',
  'SchedulesDeadLetterQueueUrl',
  'EventBusName',
  'LinkTestsRoleArn',
] as const;

/** Outputs of the state stack for people: policies to attach. */
export const policyOutputs = [
  'DatasetsWriterPolicyArn',
  'StartingDatasetsWriterPolicyArn',
  'ReaderPolicyArn',
  'OperatorPolicyArn',
  'LinkTesterPolicyArn',
] as const;

/** Output of the state stack if the bucket has another owner: the notifications to add. */
export const bucketNotificationsOutput = 'BucketNotifications';

/** Outputs of the workers stack. `Mode` is `act` or `observe`, `Timezone` that of the configuration. */
export const workersOutputs = [
  'Mode',
  'Timezone',
  'ScheduleGroupName',
  'UpdateCampaignRunsFunctionArn',
  'AnswerQuestionsFunctionArn',
  'AlarmTopicArn',
] as const;

/** Output of the workers stack: the version of the product that deployed it. */
export const versionOutput = 'AutopilotVersion';

/** Everything that the operator's command needs to find. */
export type StageOutputs = Readonly<Record<(typeof stateOutputs)[number] | (typeof workersOutputs)[number], string>> & {
  readonly [versionOutput]?: string;
};

/** Whether the deployed stage acts, or only observes. */
export function modeOf({ Mode }: Pick<StageOutputs, 'Mode'>): 'act' | 'observe' {
  return Mode === 'observe' ? 'observe' : 'act';
}
