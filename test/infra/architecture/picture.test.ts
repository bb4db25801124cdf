import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { functionNames } from '#shared/vocabulary/resource-names.ts';
import { configurations, ofType, type StackTemplate, type StageTemplates, synthesize } from '../template.ts';
import { architecturePath, freshArchitectureDocument } from './architecture-document.ts';
import { pictureOf } from './picture.ts';

test('the picture of docs/architecture.md is that of the templates (if not: npm run docs -- architecture, and read the difference)', async () => {
  expect(await readFile(architecturePath, 'utf8')).toBe(await freshArchitectureDocument());
});

describe('the picture', () => {
  let stage: StageTemplates;

  beforeAll(async () => {
    stage = await synthesize(configurations.example);
  });

  /** The stage without the resources of a type whose id fits. */
  const without = (type: string, id: RegExp): StageTemplates => {
    const rest = Object.entries(stage.workers.resources).filter(([key, { Type }]) => Type !== type || !id.test(key));
    return { ...stage, workers: { ...stage.workers, resources: Object.fromEntries(rest) } };
  };
  const withResource = (id: string, resource: StackTemplate['resources'][string]): StageTemplates => ({
    ...stage,
    workers: { ...stage.workers, resources: { ...stage.workers.resources, [id]: resource } },
  });
  const linesLost = (other: StageTemplates) => {
    const kept = new Set(pictureOf(other).split('\n'));
    return pictureOf(stage)
      .split('\n')
      .filter((line) => !kept.has(line))
      .map((line) => line.trim());
  };

  test('has each function by its name, and an arrow at each node', () => {
    const picture = pictureOf(stage);
    const declared = [...picture.matchAll(/^ +(\w+)(?=[[({])/gm)].map(([, id = '']) => id);
    const arrows = picture.split('\n').filter((line) => line.includes('->'));
    const used = new Set(arrows.flatMap((line) => line.replace(/\|".*"\|/, '').match(/\w+/g) ?? []));

    for (const name of functionNames) expect(picture).toContain(`["${name}"]`);
    expect(declared.length).toBeGreaterThan(15);
    expect(declared.filter((id) => !used.has(id))).toEqual([]);
    expect([...used].filter((id) => !declared.includes(id))).toEqual(['functions']); // the group
  });

  test.each([
    ['AWS::Lambda::EventSourceMapping', /^RegisterDatasets/, ['Uploads --> RegisterDatasets']],
    ['AWS::Scheduler::Schedule', /Tickreconcile/, ['scheduler -->|"every 5 minutes"| ReconcileLedger']],
    ['AWS::Events::Rule', /Parked/, [expect.stringContaining('bus -->|"WorkParked, ')]],
    ['AWS::IAM::Policy', /^ReconcileLedger/, expect.arrayContaining(['functions --> ledger'])],
  ])('loses what the template has lost: %s %s', (type, id, lost) => {
    expect(linesLost(without(type, id))).toEqual(lost);
  });

  test('gains what the template gains', () => {
    const [[, mapping] = []] = ofType(stage.workers, 'AWS::Lambda::EventSourceMapping');
    const [queue = ''] = ofType(stage.state, 'AWS::SQS::Queue').find(([id]) => id.startsWith('Uploads4')) ?? [];
    if (mapping === undefined) throw new Error('no mapping');

    const more = withResource('More', {
      ...mapping,
      Properties: { ...mapping.Properties, EventSourceArn: { 'Fn::GetAtt': [queue, 'Arn'] } },
    });

    expect(pictureOf(more)).toContain('Uploads --> RegisterDatasets & UpdateCampaignRuns');
    expect(pictureOf(stage)).not.toContain('Uploads --> RegisterDatasets & UpdateCampaignRuns');
  });
});
