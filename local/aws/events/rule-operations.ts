import {
  asList,
  asObject,
  asText,
  type JsonObject,
  parseJsonObject,
  type ResolvedAssembly,
  textsOf,
} from '../../template/assembly.ts';
import type { MadeResources } from '../storage/open-database.ts';
import { type AwsRequest, notEmulated, requiredParameter } from '../wire/messages.ts';
import { AwsError } from '../wire/aws-errors.ts';
import {
  busName,
  compileRule,
  type DeclaredRule,
  type EventRule,
  rulesOfTemplate,
  unsupportedOfTargets,
} from './rules.ts';

/** What the rules need. */
export interface RuleBookOptions {
  readonly assembly: ResolvedAssembly;
  readonly made: MadeResources;
  readonly hasBus: (name: string) => boolean;
}

/** All rules, and the operations on them. */
export interface RuleBook {
  of(bus: string): readonly EventRule[];
  /** By the names of the API; each asks for its right first. */
  readonly operations: Readonly<Record<string, (input: JsonObject, request: AwsRequest) => JsonObject>>;
}

/** Opens the rules of the template, and those that an earlier run made. */
export function openRuleBook({ assembly, made, hasBus }: RuleBookOptions): RuleBook {
  const { region, accountId } = assembly;
  const declared = rulesOfTemplate(assembly).map(compileRule);
  let madeRules = made.all('rule').map((kept) => compileRule(ruleOf(kept)));
  const all = (): readonly EventRule[] => [...declared, ...madeRules];

  const save = (rule: DeclaredRule): void => {
    const compiled = compileRule(rule);
    made.put('rule', rule.arn, { ...rule, pattern: rule.pattern ?? {}, targets: [...rule.targets] });
    madeRules = [...madeRules.filter(({ arn }) => arn !== rule.arn), compiled];
  };
  const forget = (arn: string): void => {
    made.remove('rule', arn);
    madeRules = madeRules.filter((rule) => rule.arn !== arn);
  };
  /** EventBridge User Guide, "ARNs": the rules of the default bus have no bus in their ARN. */
  const arnOfRule = (bus: string, name: string): string =>
    `arn:aws:events:${region}:${accountId}:rule/${bus === 'default' ? '' : `${bus}/`}${name}`;
  const addressed = (input: JsonObject, nameKey: 'Name' | 'Rule', action: string, request: AwsRequest) => {
    const bus = busName(input['EventBusName']);
    const name = requiredParameter(input, nameKey);
    const arn = arnOfRule(bus, name);
    request.require(`events:${action}`, arn);
    if (!hasBus(bus)) throw notFound(`Event bus ${bus} does not exist.`);
    return {
      bus,
      name,
      arn,
      kept: made
        .all('rule')
        .map(ruleOf)
        .find((rule) => rule.arn === arn),
    };
  };
  const changeable = ({ name, arn, kept }: ReturnType<typeof addressed>): DeclaredRule => {
    if (kept !== undefined) return kept;
    if (declared.some((rule) => rule.arn === arn))
      throw notEmulated('events', `change of ${name}, a rule of the template,`);
    throw notFound(`Rule ${name} does not exist on EventBus.`);
  };
  const shown = (input: JsonObject, nameKey: 'Name' | 'Rule', action: string, request: AwsRequest): EventRule => {
    const { name, arn } = addressed(input, nameKey, action, request);
    const rule = all().find((candidate) => candidate.arn === arn);
    if (rule === undefined) throw notFound(`Rule ${name} does not exist on EventBus.`);
    return rule;
  };

  return {
    of: (bus) => all().filter((rule) => rule.bus === bus),
    operations: {
      PutRule(input, request) {
        const { bus, name, arn, kept } = addressed(input, 'Name', 'PutRule', request);
        if (declared.some((rule) => rule.arn === arn))
          throw notEmulated('events', `change of ${name}, a rule of the template,`);
        const pattern = patternIn(requiredParameter(input, 'EventPattern'));
        save({
          name,
          arn,
          bus,
          pattern,
          isEnabled: asText(input['State']) !== 'DISABLED',
          targets: kept?.targets ?? [],
        });
        return { RuleArn: arn };
      },
      PutTargets(input, request) {
        const rule = changeable(addressed(input, 'Rule', 'PutTargets', request));
        const targets = asList(input['Targets']).map(asObject);
        const [unsupported] = unsupportedOfTargets(targets);
        if (unsupported !== undefined) throw notEmulated('events', `a target with ${unsupported}`);
        const ids = new Set(targets.map(({ Id }) => asText(Id)));
        save({ ...rule, targets: [...rule.targets.filter(({ Id }) => !ids.has(asText(Id))), ...targets] });
        return { FailedEntryCount: 0, FailedEntries: [] };
      },
      RemoveTargets(input, request) {
        const rule = changeable(addressed(input, 'Rule', 'RemoveTargets', request));
        const ids = textsOf(input['Ids']);
        save({ ...rule, targets: rule.targets.filter(({ Id }) => !ids.includes(asText(Id) ?? '')) });
        return { FailedEntryCount: 0, FailedEntries: [] };
      },
      DeleteRule(input, request) {
        const at = addressed(input, 'Name', 'DeleteRule', request);
        if (at.kept === undefined) {
          // EventBridge API, DeleteRule: "If you call delete rule multiple times for the same rule,
          // all calls will succeed."
          if (declared.some(({ arn }) => arn === at.arn)) changeable(at);
          return {};
        }
        if (at.kept.targets.length > 0)
          throw new AwsError('ValidationException', "Rule can't be deleted since it has targets.");
        forget(at.arn);
        return {};
      },
      DescribeRule: (input, request) => summaryOf(shown(input, 'Name', 'DescribeRule', request)),
      ListTargetsByRule(input, request) {
        const rule = shown(input, 'Rule', 'ListTargetsByRule', request);
        return { Targets: rule.targets.map(({ id, arn }) => ({ Id: id, Arn: arn })) };
      },
      ListRules(input, request) {
        const bus = busName(input['EventBusName']);
        request.require('events:ListRules', arnOfRule(bus, '*'));
        if (!hasBus(bus)) throw notFound(`Event bus ${bus} does not exist.`);
        const prefix = asText(input['NamePrefix']) ?? '';
        return {
          Rules: all()
            .filter((rule) => rule.bus === bus && rule.name.startsWith(prefix))
            .map(summaryOf),
        };
      },
    },
  };
}

function summaryOf({ name, arn, bus, isEnabled, pattern }: EventRule): JsonObject {
  const shown: JsonObject = { Name: name, Arn: arn, EventBusName: bus, State: isEnabled ? 'ENABLED' : 'DISABLED' };
  return pattern === undefined ? shown : { ...shown, EventPattern: JSON.stringify(pattern) };
}

function patternIn(text: string): JsonObject {
  try {
    return parseJsonObject(text, 'the pattern');
  } catch {
    throw new AwsError('InvalidEventPatternException', 'Event pattern is not valid. Reason: it is no JSON object');
  }
}

function ruleOf(kept: JsonObject): DeclaredRule {
  const text = (key: string): string => asText(kept[key]) ?? '';
  return {
    name: text('name'),
    arn: text('arn'),
    bus: text('bus'),
    isEnabled: kept['isEnabled'] === true,
    pattern: asObject(kept['pattern']),
    targets: asList(kept['targets']).map(asObject),
  };
}

function notFound(message: string): AwsError {
  return new AwsError('ResourceNotFoundException', message, { status: 400 });
}
