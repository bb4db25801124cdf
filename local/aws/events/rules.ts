/** Rules: which events of which bus go to which targets. Those of the template, and those that callers made. */
import { arnOf, resourcesOfType } from '../../template/assembly.ts';
import type { ResolvedAssembly } from '../../template/assembly.ts';
import { asList, asObject, asText, isJsonObject } from '../../template/json.ts';
import type { Json, JsonObject } from '../../template/json.ts';
import { compileEventPattern } from './event-pattern.ts';
import type { EventPattern } from './event-pattern.ts';
import { compileInputTransformer, unsupportedOfTransformer } from './input-transformer.ts';

/** Where a rule sends what it matches. */
export interface RuleTarget {
  readonly id: string;
  readonly arn: string;
  /** The role under which EventBridge calls it; without one, a policy of the target lets EventBridge in. */
  readonly roleArn: string | undefined;
  /** Queue for what the target did not take. */
  readonly deadLetterArn: string | undefined;
  /** What it gets: the event, or what the rule makes of it. */
  readonly payload: (event: JsonObject) => string;
}

/** A rule as it was declared or made. */
export interface DeclaredRule {
  readonly name: string;
  readonly arn: string;
  /** Name of its bus. */
  readonly bus: string;
  readonly isEnabled: boolean;
  readonly pattern: JsonObject | undefined;
  /** In the words of the API, which are those of templates too. */
  readonly targets: readonly JsonObject[];
}

/** A rule, ready to be asked about an event. */
export interface Rule extends Omit<DeclaredRule, 'targets'> {
  readonly matches: EventPattern;
  readonly targets: readonly RuleTarget[];
}

/** The rules of the template. */
export function rulesOfTemplate(assembly: ResolvedAssembly): DeclaredRule[] {
  return resourcesOfType(assembly, 'AWS::Events::Rule').map((rule) => {
    const { name, properties } = rule;
    const pattern = properties['EventPattern'];
    return {
      name,
      arn: arnOf(rule),
      bus: busName(properties['EventBusName']),
      isEnabled: properties['State'] !== 'DISABLED',
      pattern: isJsonObject(pattern) ? pattern : undefined,
      targets: asList(properties['Targets']).map(asObject),
    };
  });
}

/** A bus is named by its name or by its ARN. */
export function busName(value: Json | undefined): string {
  return (asText(value) ?? 'default').split('/').at(-1) ?? 'default';
}

/** Makes a rule ready; throws where its pattern can't be read. One that is disabled or has no pattern matches nothing. */
export function compileRule(rule: DeclaredRule): Rule {
  const { pattern, isEnabled, targets } = rule;
  const matches = pattern === undefined ? () => false : compileEventPattern(pattern, rule.arn);
  return {
    ...rule,
    matches: isEnabled ? matches : () => false,
    targets: targets.map((target) => ({
      id: asText(target['Id']) ?? '',
      arn: asText(target['Arn']) ?? '',
      roleArn: asText(target['RoleArn']),
      deadLetterArn: asText(asObject(target['DeadLetterConfig'])['Arn']),
      payload: payloadOf(target),
    })),
  };
}

/** What rules ask for and the emulator does not do. */
export function unsupportedOfRules(assembly: ResolvedAssembly): string[] {
  return resourcesOfType(assembly, 'AWS::Events::Rule').flatMap((rule) => {
    const where = `(${rule.stackName}/${rule.logicalId})`;
    const scheduled =
      rule.properties['ScheduleExpression'] === undefined ? [] : [`AWS::Events::Rule ScheduleExpression ${where}`];
    const targets = asList(rule.properties['Targets']).map(asObject);
    return [...scheduled, ...unsupportedOfTargets(targets).map((what) => `AWS::Events::Rule target ${what} ${where}`)];
  });
}

/** What targets ask for and the emulator does not do. */
export function unsupportedOfTargets(targets: readonly JsonObject[]): string[] {
  const services = targets
    .map((target) => asText(target['Arn'])?.split(':')[2] ?? 'unknown')
    .filter((service) => !['sqs', 'lambda', 'sns', 'events'].includes(service));
  const shaped = targets.flatMap(({ InputPath, InputTransformer }) => [
    ...(InputPath === undefined ? [] : ['InputPath']),
    ...unsupportedOfTransformer(InputTransformer).map((what) => `InputTransformer ${what}`),
  ]);
  return [...services, ...shaped];
}

function payloadOf({ Input, InputTransformer }: JsonObject): RuleTarget['payload'] {
  const input = asText(Input);
  if (input !== undefined) return () => input;
  return InputTransformer === undefined ? (event) => JSON.stringify(event) : compileInputTransformer(InputTransformer);
}
