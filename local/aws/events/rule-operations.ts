import * as z from 'zod';
import { arnIn, type JsonObject, parseJsonObject } from '../../template/assembly.ts';
import { eventTargetRow } from '../../template/resource-properties.ts';
import type { AwsStage } from '../aws-stage.ts';
import { AwsError, type AwsRequest, notEmulated } from '../wire/messages.ts';
import { type AwsOperation, filledText, operation } from '../wire/operations.ts';
import { busName, compileRule, type DeclaredRule, type EventRule, rulesOfTemplate } from './rules.ts';

/** All rules, and the operations on them. */
interface RuleBook {
  of(bus: string): readonly EventRule[];
  /** By the names of the API; each asks for its right first. */
  readonly operations: Readonly<Record<string, AwsOperation>>;
}

const onBus = z.strictObject({ EventBusName: z.string().optional() });
const byName = onBus.extend({ Name: filledText });
const byRule = onBus.extend({ Rule: filledText });

/** As it is kept over a restart. */
const keptRule = z.object({
  name: z.string(),
  arn: z.string(),
  bus: z.string(),
  isEnabled: z.boolean(),
  pattern: z.record(z.string(), z.json()),
  targets: z.array(eventTargetRow),
});

const noFailures = { FailedEntryCount: 0, FailedEntries: [] };

/** Opens the rules of the template, and those that an earlier run made. */
export function openRuleBook({ assembly, made }: AwsStage, hasBus: (name: string) => boolean): RuleBook {
  const declared = rulesOfTemplate(assembly).map(compileRule);
  let madeRules = made.all('rule').map((kept) => compileRule(keptRule.parse(kept)));
  const all = (): readonly EventRule[] => [...declared, ...madeRules];

  const save = (rule: DeclaredRule): void => {
    const compiled = compileRule(rule);
    made.put('rule', rule.arn, rule);
    madeRules = [...madeRules.filter(({ arn }) => arn !== rule.arn), compiled];
  };
  const forget = (arn: string): void => {
    made.remove('rule', arn);
    madeRules = madeRules.filter((rule) => rule.arn !== arn);
  };
  /** EventBridge User Guide, "ARNs": the rules of the default bus have no bus in their ARN. */
  const arnOfRule = (bus: string, name: string): string =>
    arnIn(assembly, 'events', `rule/${bus === 'default' ? '' : `${bus}/`}${name}`);
  /** The bus and ARN of a rule, for a caller who may do this to it. */
  const addressed = (
    { EventBusName, name }: { readonly EventBusName?: string | undefined; readonly name: string },
    action: string,
    request: AwsRequest,
  ) => {
    const bus = busName(EventBusName);
    const arn = arnOfRule(bus, name);
    request.require(`events:${action}`, arn);
    if (!hasBus(bus)) throw notFound(`Event bus ${bus} does not exist.`);
    if (action !== 'ListTargetsByRule' && declared.some((rule) => rule.arn === arn))
      throw notEmulated('events', `change of ${name}, a rule of the template,`);
    return { bus, arn, rule: all().find((rule) => rule.arn === arn) };
  };
  const found = (input: z.output<typeof byRule>, action: string, request: AwsRequest): EventRule => {
    const { rule } = addressed({ ...input, name: input.Rule }, action, request);
    if (rule === undefined) throw notFound(`Rule ${input.Rule} does not exist on EventBus.`);
    return rule;
  };

  return {
    of: (bus) => all().filter((rule) => rule.bus === bus),
    operations: {
      PutRule: operation(
        byName.extend({ EventPattern: filledText, State: z.enum(['ENABLED', 'DISABLED']).optional() }),
        ({ Name: name, EventPattern, State, ...input }, request) => {
          const { bus, arn, rule } = addressed({ ...input, name }, 'PutRule', request);
          const pattern = patternIn(EventPattern);
          save({ name, arn, bus, pattern, isEnabled: State !== 'DISABLED', targets: rule?.targets ?? [] });
          return { RuleArn: arn };
        },
      ),
      PutTargets: operation(byRule.extend({ Targets: z.array(eventTargetRow) }), ({ Targets, ...input }, request) => {
        const { matches: _, ...rule } = found(input, 'PutTargets', request);
        const ids = new Set(Targets.map(({ Id }) => Id));
        save({ ...rule, targets: [...rule.targets.filter(({ Id }) => !ids.has(Id)), ...Targets] });
        return noFailures;
      }),
      RemoveTargets: operation(byRule.extend({ Ids: z.array(z.string()) }), ({ Ids, ...input }, request) => {
        const { matches: _, ...rule } = found(input, 'RemoveTargets', request);
        save({ ...rule, targets: rule.targets.filter(({ Id }) => !Ids.includes(Id)) });
        return noFailures;
      }),
      DeleteRule: operation(byName, ({ Name: name, ...input }, request) => {
        // EventBridge API, DeleteRule: "If you call delete rule multiple times for the same rule,
        // all calls will succeed."
        const { rule, arn } = addressed({ ...input, name }, 'DeleteRule', request);
        if (rule !== undefined && rule.targets.length > 0)
          throw new AwsError('ValidationException', "Rule can't be deleted since it has targets.");
        forget(arn);
        return {};
      }),
      ListTargetsByRule: operation(byRule, (input, request) => ({
        Targets: found(input, 'ListTargetsByRule', request).targets.map(({ Id, Arn }) => ({ Id, Arn })),
      })),
      ListRules: operation(onBus.extend({ NamePrefix: z.string().default('') }), (input, request) => {
        const bus = busName(input.EventBusName);
        request.require('events:ListRules', arnOfRule(bus, '*'));
        if (!hasBus(bus)) throw notFound(`Event bus ${bus} does not exist.`);
        const Rules = all().filter((rule) => rule.bus === bus && rule.name.startsWith(input.NamePrefix));
        return { Rules: Rules.map(summaryOf) };
      }),
    },
  };
}

function summaryOf({ name, arn, bus, isEnabled, pattern }: EventRule): JsonObject {
  const State = isEnabled ? 'ENABLED' : 'DISABLED';
  return { Name: name, Arn: arn, EventBusName: bus, State, EventPattern: JSON.stringify(pattern) };
}

function patternIn(text: string): JsonObject {
  try {
    return parseJsonObject(text, 'the pattern');
  } catch {
    throw new AwsError('InvalidEventPatternException', 'Event pattern is not valid. Reason: it is no JSON object');
  }
}

function notFound(message: string): AwsError {
  return new AwsError('ResourceNotFoundException', message);
}
