/** Any JSON value of a template. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** One resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: { readonly [key: string]: Json };
  readonly DependsOn?: Json;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** What a property holds, at a path such as `Target.Arn`. */
export function at(value: Json | Resource['Properties'] | undefined, path: string): Json | undefined {
  let here: Json | undefined = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = Array.isArray(here) ? here[Number(key)] : here[key];
  }
  return here;
}

/** The text at a path; empty where there is none. */
export function textAt(value: Json | Resource['Properties'] | undefined, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' ? found : '';
}

/** A list, also where CloudFormation writes its only item bare. */
export function listOf(value: Json | undefined): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** A value in one line, references in angle brackets, as cdk-nag names what it found: `arn:<AWS::Partition>:s3:::name/*`. */
export function flatText(value: Json | undefined): string {
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
