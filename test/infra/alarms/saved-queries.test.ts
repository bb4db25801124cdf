import { beforeAll, describe, expect, test } from 'vitest';
import { logEvents } from '#shared/vocabulary/log-events.ts';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import {
  configurations,
  listOf,
  ofType,
  type Resource,
  type StageTemplates,
  synthesize,
  targetOf,
  textAt,
} from '../template.ts';
import { readInsightsQuery } from './insights-query.ts';

describe('the saved queries of the deployed example', () => {
  let stage: StageTemplates;
  let queries: readonly Resource['Properties'][];

  beforeAll(async () => {
    stage = await synthesize(configurations.example);
    queries = ofType(stage.workers, 'AWS::Logs::QueryDefinition').map(([, { Properties }]) => Properties);
  });

  test('stand under the name of the stage, each with a name that CloudWatch takes', () => {
    const names = queries.map((query) => textAt(query, 'Name'));

    expect(names.length).toBeGreaterThan(5);
    expect(names).toEqual([...new Set(names)]);
    for (const name of names) {
      expect(name).toMatch(/^gateway-autopilot\/prod\/[A-Z]/);
      // PutQueryDefinition refuses any other (CloudWatch Logs API reference).
      expect(name).toMatch(/^([^:*/]+\/?)*[^:*/]+$/);
    }
  });

  test('ask the logs of every function', () => {
    const logGroups = ofType(stage.workers, 'AWS::Logs::LogGroup').map(([id]) => id);

    expect(logGroups).toHaveLength(functionNames.length);
    for (const query of queries) {
      const asked = listOf(query['LogGroupNames']).map((name) => targetOf(name, stage));
      expect(asked.toSorted(), textAt(query, 'Name')).toEqual(logGroups.toSorted());
    }
  });

  test('are written in the language of Logs Insights, about events of the vocabulary', () => {
    const known: readonly string[] = Object.values(logEvents);

    for (const query of queries) {
      const { commands, fields, events } = readInsightsQuery(textAt(query, 'QueryString'));

      expect(commands.length, textAt(query, 'Name')).toBeGreaterThan(2);
      expect(fields.length, textAt(query, 'Name')).toBeGreaterThan(1);
      expect(known).toEqual(expect.arrayContaining([...events]));
    }
    expect(queries.flatMap((query) => readInsightsQuery(textAt(query, 'QueryString')).events).length).toBeGreaterThan(
      5,
    );
  });
});
