/** One synthesized stack, as CloudFormation gets it. */
export interface Template {
  /** The path of its file, or a name. */
  readonly name: string;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: Readonly<
    Record<string, { readonly Value: TemplateJson; readonly Export?: { readonly Name: TemplateJson } }>
  >;
}

/** A resource and its place. */
export interface Located {
  readonly template: Template;
  readonly id: string;
  readonly resource: Resource;
}

/** The places at which a template breaks a rule. */
export interface RuleFinding {
  readonly template: string;
  readonly logicalId: string;
  /** Below the resource: `Properties.VisibilityTimeout`. */
  readonly path: string;
  /** What stands there, beside what the rule says. */
  readonly found: string;
  /** Which of several findings of the rule on one resource it is, for who acknowledges it. */
  readonly which?: string;
}

/** What the packs have no rule for. */
export interface StageRule {
  readonly id: string;
  /** What has to be so, and why. */
  readonly sentence: string;
  readonly find: (stage: StageModel) => RuleFinding[];
}

/** The templates of a stage, with references followed from one into the other. */
export interface StageModel {
  readonly templates: readonly Template[];
  readonly ofType: (type: string) => Located[];
  /** What a reference in a template means; undefined for what no template of the stage has. */
  readonly behind: (value: TemplateJson | undefined, from: Template) => Located | undefined;
}

/** Reads the templates of a stage. */
export function createStageModel(templates: readonly Template[]): StageModel {
  const behind = (value: TemplateJson | undefined, from: Template): Located | undefined => {
    const imported = at(value, 'Fn::ImportValue');
    if (imported !== undefined) {
      for (const template of templates) {
        const output = Object.values(template.outputs).find(({ Export }) => Export?.Name === imported);
        if (output !== undefined) return behind(output.Value, template);
      }
      return undefined;
    }
    const id = textAt(value, 'Ref') || textAt(value, 'Fn::GetAtt.0');
    const resource = from.resources[id];
    return resource === undefined ? undefined : { template: from, id, resource };
  };
  return {
    templates,
    behind,
    ofType: (type) =>
      templates.flatMap((template) =>
        Object.entries(template.resources)
          .filter(([, resource]) => resource.Type === type)
          .map(([id, resource]) => ({ template, id, resource })),
      ),
  };
}

/** A finding on a resource. */
export function findingOn({ template, id }: Located, path: string, found: string, which?: string): RuleFinding {
  return { template: template.name, logicalId: id, path, found, which };
}

/** Any JSON value of a template. */
export type TemplateJson = string | number | boolean | null | TemplateJson[] | { [key: string]: TemplateJson };

/** One resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: { readonly [key: string]: TemplateJson };
  readonly DependsOn?: TemplateJson;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** What a property holds, at a path such as `Target.Arn`. */
export function at(value: TemplateJson | Resource['Properties'] | undefined, path: string): TemplateJson | undefined {
  let here: TemplateJson | undefined = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Array.isArray(here) ? here[Number(key)] : here[key];
  }
  return here;
}

/** The text at a path; empty if there is none. */
export function textAt(value: TemplateJson | Resource['Properties'] | undefined, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

/** A list, also where CloudFormation writes its only item bare. */
export function listOf(value: TemplateJson | undefined): TemplateJson[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/**
 * A value in one line, references in angle brackets, as cdk-nag names what it found:
 * `arn:<AWS::Partition>:s3:::name/*`.
 */
export function flatText(value: TemplateJson | undefined): string {
  if (typeof value === 'string') return value.replaceAll('${', '<').replaceAll('}', '>');
  const joined = at(value, 'Fn::Join');
  if (Array.isArray(joined)) return listOf(joined[1]).map(flatText).join(flatText(joined[0]));
  const attribute = at(value, 'Fn::GetAtt');
  if (Array.isArray(attribute)) return `<${attribute.map(flatText).join('.')}>`;
  const inner = at(value, 'Fn::Sub') ?? at(value, 'Fn::ImportValue');
  if (inner !== undefined) return flatText(inner);
  const reference = textAt(value, 'Ref');
  return reference === '' ? JSON.stringify(value ?? null) : `<${reference}>`;
}
