/** The rules of the template: which events of which bus go to which targets. */
import { arnOf, resourcesOfType } from '../../template/assembly.ts';
import type { ResolvedAssembly, ResolvedResource } from '../../template/assembly.ts';
import { asList, asObject, asText, isJsonObject } from '../../template/json.ts';
import type { JsonObject } from '../../template/json.ts';
import { compileEventPattern } from './event-pattern.ts';
import type { EventPattern } from './event-pattern.ts';
import { compileInputTransformer, unsupportedOfTransformer } from './input-transformer.ts';

/** Where a rule sends what it matches. */
export interface RuleTarget {
  readonly arn: string;
  /** The role under which EventBridge calls it; without one, a policy of the target lets EventBridge in. */
  readonly roleArn: string | undefined;
  /** Queue for what the target did not take. */
  readonly deadLetterArn: string | undefined;
  /** What it gets: the event, or what the rule makes of it. */
  readonly payload: (event: JsonObject) => string;
}

/** A rule as declared. */
export interface Rule {
  readonly arn: string;
  /** Name of its bus. */
  readonly bus: string;
  readonly matches: EventPattern;
  readonly targets: readonly RuleTarget[];
}

/** Reads every enabled rule with a pattern. */
export function readRules(assembly: ResolvedAssembly): Rule[] {
  return resourcesOfType(assembly, 'AWS::Events::Rule')
    .filter(({ properties }) => properties['State'] !== 'DISABLED' && isJsonObject(properties['EventPattern']))
    .map(readRule);
}

/** What rules ask for and nobody does here. */
export function unsupportedOfRules(assembly: ResolvedAssembly): string[] {
  return resourcesOfType(assembly, 'AWS::Events::Rule').flatMap((rule) => {
    const where = `(${rule.stackName}/${rule.logicalId})`;
    const scheduled =
      rule.properties['ScheduleExpression'] === undefined ? [] : [`AWS::Events::Rule ScheduleExpression ${where}`];
    const targets = asList(rule.properties['Targets']).map(asObject);
    const services = targets
      .map((target) => asText(target['Arn'])?.split(':')[2] ?? 'unknown')
      .filter((service) => !['sqs', 'lambda', 'sns', 'events'].includes(service));
    const shaped = targets.flatMap(({ InputPath, InputTransformer }) => [
      ...(InputPath === undefined ? [] : ['InputPath']),
      ...unsupportedOfTransformer(InputTransformer).map((what) => `InputTransformer ${what}`),
    ]);
    return [...scheduled, ...[...services, ...shaped].map((what) => `AWS::Events::Rule target ${what} ${where}`)];
  });
}

function readRule(rule: ResolvedResource): Rule {
  const { properties } = rule;
  return {
    arn: arnOf(rule),
    bus: (asText(properties['EventBusName']) ?? 'default').split('/').at(-1) ?? 'default',
    matches: compileEventPattern(asObject(properties['EventPattern']), `${rule.stackName}/${rule.logicalId}`),
    targets: asList(properties['Targets'])
      .map(asObject)
      .map((target) => ({
        arn: asText(target['Arn']) ?? '',
        roleArn: asText(target['RoleArn']),
        deadLetterArn: asText(asObject(target['DeadLetterConfig'])['Arn']),
        payload: payloadOf(target),
      })),
  };
}

function payloadOf({ Input, InputTransformer }: JsonObject): RuleTarget['payload'] {
  const input = asText(Input);
  if (input !== undefined) return () => input;
  return InputTransformer === undefined ? (event) => JSON.stringify(event) : compileInputTransformer(InputTransformer);
}
