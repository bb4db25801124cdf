import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { App, Stack } from 'aws-cdk-lib/core';
import { beforeAll, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { compileEventPattern } from '#local/aws/events/rules.ts';
import { asObject, type JsonObject } from '#local/template/json.ts';
import { eventSource, eventTypes } from '#shared/vocabulary/resource-names.ts';
import { configurations, ofType, synthesize } from '../template.ts';
import { RegisteredDatasets } from './registered-datasets.ts';

const page = readFileSync(join(packageFolder, 'docs', 'reference', 'events.md'), 'utf8');
const block = (language: string, words: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))]
    .map(([, text = '']) => text)
    .find((text) => text.includes(words)) ?? '';

let template: Template;

beforeAll(() => {
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Yours');
  const registered = new RegisteredDatasets(stack, 'RegisteredDatasets', 'prod');
  template = Template.fromStack(Stack.of(registered));
});

/** The one rule of the template. */
function rule(): JsonObject {
  const [only] = Object.values(template.findResources('AWS::Events::Rule'));
  return asObject(only?.['Properties']);
}

test('the snippet of docs/reference/events.md is code that synthesizes: its file, word for word', () => {
  expect(block('ts', 'class RegisteredDatasets')).toBe(
    readFileSync(join(import.meta.dirname, 'registered-datasets.ts'), 'utf8'),
  );
});

test('its rule stands on the bus of the stage, under the name that the stage gives it', async () => {
  const { state } = await synthesize(configurations.example);
  const [[, bus] = []] = ofType(state, 'AWS::Events::EventBus');

  expect(rule()['EventBusName']).toBe(bus?.Properties['Name']);
});

test('its rule takes the example of the event, and neither another rule’s dataset nor another event', () => {
  const matches = compileEventPattern(asObject(rule()['EventPattern']), 'the rule');
  const { type, ...detail } = JSON.parse(block('json', '"type": "DatasetRegistered"'));
  const event = { source: eventSource, 'detail-type': type, detail };

  expect(matches(event)).toBe(true);
  expect(matches({ ...event, detail: { ...detail, rule: 'datasets/' } })).toBe(false);
  expect(matches({ ...event, 'detail-type': eventTypes.workParked })).toBe(false);
  expect(matches({ ...event, source: 'another' })).toBe(false);
});
