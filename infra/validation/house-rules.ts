import { readFileSync } from 'node:fs';
import type { IPolicyValidationContext, IPolicyValidationPlugin, PolicyValidationPluginReport } from 'aws-cdk-lib/core';
import { policyRules, queueRules } from './policy-rules.ts';
import {
  at,
  createStageModel,
  type RuleFinding,
  findingOn,
  listOf,
  type Resource,
  type StageRule,
  type StageModel,
  type Template,
  textAt,
} from './stage-model.ts';
/** The name before `::` in the id of an acknowledgement: `Autopilot::arm64`. */
const houseName = 'Autopilot';

/**
 * Judges a stage by every rule; each finding with the id by which it is acknowledged, without the
 * name before it.
 */
export function judgeStage(
  stage: StageModel,
): { readonly id: string; readonly rule: StageRule; readonly finding: RuleFinding }[] {
  return houseRules.flatMap((rule) =>
    rule.find(stage).map((finding) => ({
      id: finding.which === undefined ? rule.id : `${rule.id}[${finding.which}]`,
      rule,
      finding,
    })),
  );
}

/** The rules of the house for `Validations.of(app).addPlugins(…)`. */
export class HouseRules implements IPolicyValidationPlugin {
  readonly name = houseName;
  readonly ruleIds = houseRules.map(({ id }) => id);

  validate({ stackTemplates }: IPolicyValidationContext): PolicyValidationPluginReport {
    const violations = judgeStage(
      createStageModel(stackTemplates.map(({ templatePath }) => readTemplate(templatePath))),
    ).map(({ id, rule, finding }) => ({
      ruleName: id,
      description: `${rule.sentence}. Found: ${finding.found}`,
      severity: 'error',
      violatingResources: [
        { resourceLogicalId: finding.logicalId, templatePath: finding.template, locations: [finding.path] },
      ],
    }));
    return { success: violations.length === 0, violations };
  }
}

function readTemplate(path: string): Template {
  const { Resources: resources, Outputs: outputs = {} } = JSON.parse(readFileSync(path, 'utf8'));
  return { name: path, resources, outputs };
}

/** CloudFormation refuses such a template only when it is deployed. */
const circleRule: StageRule = {
  id: 'no-circle',
  sentence: 'No resource waits for itself',
  find: ({ templates }) =>
    templates.flatMap((template) => {
      const circle = circleIn(template);
      const [logicalId] = circle ?? [];
      if (circle === undefined || logicalId === undefined) return [];
      return [{ template: template.name, logicalId, path: 'DependsOn', found: circle.join(' → ') }];
    }),
};

/** A circle of references in one template, its first resource at both ends; or undefined. */
function circleIn({ resources }: Template): string[] | undefined {
  const finished = new Set<string>();
  const visit = (id: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(id)) return [...trail.slice(trail.indexOf(id)), id];
    if (finished.has(id)) return undefined;
    for (const next of referencesOf(resources[id])) {
      const circle = next in resources ? visit(next, [...trail, id]) : undefined;
      if (circle !== undefined) return circle;
    }
    finished.add(id);
    return undefined;
  };
  return Object.keys(resources)
    .map((id) => visit(id, []))
    .find((circle) => circle !== undefined);
}

function referencesOf(resource: Resource | undefined): string[] {
  const text = JSON.stringify([resource?.Properties, listOf(resource?.DependsOn).map((id) => ({ Ref: id }))]);
  const references = text.matchAll(/"(?:Ref|Fn::GetAtt)":(?:\[)?"([^".]+)|\$\{([^}.!]+)[.}]/g);
  return [...references].map(([, id = '', substituted = '']) => id || substituted);
}

/** What holds for every function. */
const functionRules: readonly StageRule[] = [
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
    sentence: 'A function writes to a log group of the stage: one that Lambda makes by itself is kept for ever',
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

/** Every rule of this project for its templates, beside those of cdk-nag and CloudFormation. */
export const houseRules: readonly StageRule[] = [...queueRules, ...functionRules, ...policyRules, circleRule];
