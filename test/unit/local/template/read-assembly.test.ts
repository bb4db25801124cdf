import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ResolvedAssembly, resourcesOfType } from '#local/template/cloud-assembly.ts';
import type { Json, JsonObject } from '#local/template/json.ts';
import { readAssembly } from '#local/template/read-assembly.ts';
import { assemblyOf, writeAssembly } from '../../../builders/write-assembly.ts';

const queue: JsonObject = { Type: 'AWS::SQS::Queue' };

function readOne(template: JsonObject): ResolvedAssembly {
  return assemblyOf({ App: template }, { endpoint: 'http://127.0.0.1:9999' });
}

/** What a value resolves to inside a resource of a stack with a queue called Jobs. */
function resolved(value: Json): Json | undefined {
  const probe: JsonObject = { Type: 'AWS::CDK::Metadata', Properties: { value } };
  const assembly = readOne({ Resources: { Jobs: queue, Probe: probe } });
  return resourcesOfType(assembly, 'AWS::CDK::Metadata')[0]?.properties['value'];
}

describe('readAssembly', () => {
  test.each<[string, Json, Json]>([
    ['Ref of a queue', { Ref: 'Jobs' }, 'http://127.0.0.1:9999/000000000000/App-Jobs'],
    ['GetAtt', { 'Fn::GetAtt': ['Jobs', 'Arn'] }, 'arn:aws:sqs:eu-west-1:000000000000:App-Jobs'],
    ['GetAtt of a name', { 'Fn::GetAtt': ['Jobs', 'QueueName'] }, 'App-Jobs'],
    ['Join', { 'Fn::Join': [':', ['a', { Ref: 'AWS::Region' }, 'b']] }, 'a:eu-west-1:b'],
    ['Sub', { 'Fn::Sub': '${AWS::AccountId}/${Jobs.QueueName}' }, '000000000000/App-Jobs'],
    ['what lies deeper', { StringEquals: { id: [{ Ref: 'AWS::Partition' }] } }, { StringEquals: { id: ['aws'] } }],
  ])('resolves %s', (_name, value, expected) => {
    expect(resolved(value)).toEqual(expected);
  });

  test('refuses an intrinsic it does not know, naming where it stands', () => {
    expect(() => resolved({ deep: [{ 'Fn::Cidr': ['10.0.0.0/8'] }] })).toThrow(
      'App/Probe/Properties/value/deep/0: the intrinsic Fn::Cidr is not known',
    );
  });

  test('refuses a reference to nothing', () => {
    expect(() => resolved({ Ref: 'Unknown' })).toThrow('Ref to Unknown');
  });

  test('carries exports from one stack to the other, whichever comes first', () => {
    const workers = {
      Resources: { Probe: { Type: 'AWS::CDK::Metadata', Properties: { arn: { 'Fn::ImportValue': 'State:JobsArn' } } } },
    };
    const state = {
      Resources: { Jobs: queue },
      Outputs: { JobsArn: { Value: { 'Fn::GetAtt': ['Jobs', 'Arn'] }, Export: { Name: 'State:JobsArn' } } },
    };

    const assembly = assemblyOf({ Workers: workers, State: state });

    const arn = 'arn:aws:sqs:eu-west-1:000000000000:State-Jobs';
    expect(assembly.resources[0]?.properties).toEqual({ arn });
    expect(assembly.outputs.get('State')).toEqual({ JobsArn: arn });
  });

  test('refuses an import that no stack exports', () => {
    expect(() => resolved({ 'Fn::ImportValue': 'State:Gone' })).toThrow('no stack of the assembly exports State:Gone');
  });

  test('lists every resource type it does not know by type, stack and id', () => {
    const assembly = readOne({ Resources: { Jobs: queue, Flow: { Type: 'AWS::StepFunctions::StateMachine' } } });

    expect(assembly.unsupported).toEqual(['AWS::StepFunctions::StateMachine (App/Flow)']);
  });

  test('refuses a resource with a condition: the app writes none', () => {
    expect(() => readOne({ Resources: { Jobs: { ...queue, Condition: 'Never' } } })).toThrow('App/Jobs: conditions');
  });

  test('gives secrets a suffix of six characters that stays the same', () => {
    const template = { Resources: { Token: { Type: 'AWS::SecretsManager::Secret', Properties: { Name: 'token' } } } };

    const [first, second] = [readOne(template).resources[0]?.arn, readOne(template).resources[0]?.arn];

    expect(first).toMatch(/:secret:token-[a-zA-Z0-9]{6}$/);
    expect(second).toBe(first);
  });

  test('cuts generated names where AWS would refuse them, and keeps them apart', () => {
    const role = { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: {} } };
    const long = 'R'.repeat(70);

    const names = readOne({ Resources: { [`${long}1`]: role, [`${long}2`]: role } }).resources.map(({ name }) => name);

    expect(names.map((name) => name.length)).toEqual([64, 64]);
    expect(new Set(names).size).toBe(2);
  });

  test('gives buckets a lower-case name', () => {
    expect(readOne({ Resources: { Inbox: { Type: 'AWS::S3::Bucket' } } }).resources[0]?.name).toBe('app-inbox');
  });

  test('finds the folder of an asset by its key', () => {
    const directory = writeAssembly({ App: { Resources: {} } }, { 'abc.zip': 'asset.abc' });
    const assembly = readAssembly(directory);

    expect(assembly.assetPath('abc.zip')).toBe(join(directory, 'asset.abc'));
    expect(() => assembly.assetPath('other.zip')).toThrow('no asset');
    rmSync(directory, { recursive: true });
  });

  test('says that a folder without a manifest is no assembly', () => {
    expect(() => readAssembly('/nonexistent')).toThrow('is it a synthesized cloud assembly?');
  });
});
