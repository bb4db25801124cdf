import { at, textAt } from './read-template.ts';
import { findingOn, type Rule } from './stage-model.ts';

/** What holds for every function. */
export const functionRules: readonly Rule[] = [
  {
    id: 'arm64',
    sentence: 'A function runs on arm64: the same work for a fifth less',
    find: (stage) =>
      stage
        .ofType('AWS::Lambda::Function')
        .filter(({ resource }) => textAt(resource.Properties, 'Architectures.0') !== 'arm64')
        .map((one) => findingOn(one, 'Properties.Architectures', 'another architecture')),
  },
  {
    id: 'managed-log-group',
    sentence:
      'A function writes to a log group of the stage: one that Lambda makes by itself is kept for ever, by nobody',
    find: (stage) =>
      stage
        .ofType('AWS::Lambda::Function')
        .filter(({ resource, template }) => {
          const group = stage.behind(at(resource.Properties, 'LoggingConfig.LogGroup'), template);
          return group?.resource.Type !== 'AWS::Logs::LogGroup';
        })
        .map((one) => findingOn(one, 'Properties.LoggingConfig.LogGroup', 'no log group of the stage')),
  },
  {
    id: 'log-retention',
    sentence: 'A log group forgets',
    find: (stage) =>
      stage
        .ofType('AWS::Logs::LogGroup')
        .filter(({ resource }) => typeof resource.Properties['RetentionInDays'] !== 'number')
        .map((group) => findingOn(group, 'Properties.RetentionInDays', 'kept for ever')),
  },
];
