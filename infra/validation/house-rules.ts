import { readFileSync } from 'node:fs';
import type { IPolicyValidationContext, IPolicyValidationPlugin, PolicyValidationPluginReport } from 'aws-cdk-lib/core';
import { circleRule } from './circle-rule.ts';
import { functionRules } from './function-rules.ts';
import { policyRules } from './policy-rules.ts';
import { queueRules } from './queue-rules.ts';
import { createStageModel, type Finding, type Rule, type StageModel, type Template } from './stage-model.ts';

/** Every rule of this project for its templates, beside those of cdk-nag and CloudFormation. */
export const houseRules: readonly Rule[] = [...queueRules, ...functionRules, ...policyRules, circleRule];

/** The name before `::` in the id of an acknowledgement: `Autopilot::arm64`. */
export const houseName = 'Autopilot';

/** Judges a stage by every rule; each finding with the id by which it is acknowledged, without the name before it. */
export function judge(stage: StageModel): { readonly id: string; readonly rule: Rule; readonly finding: Finding }[] {
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
    const violations = judge(
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
