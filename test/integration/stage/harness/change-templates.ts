import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asObject, type JsonObject, parseJsonObject } from '#local/template/json.ts';

/** Changes a resource of a template; without an answer it is taken out. */
export type ChangeResource = (resource: JsonObject, logicalId: string) => JsonObject | undefined;

/** Changes each resource of an assembly, as a hand does it at AWS. */
export function changeTemplates(assemblyDir: string, change: ChangeResource): void {
  for (const file of readdirSync(assemblyDir).filter((name) => name.endsWith('.template.json'))) {
    const path = join(assemblyDir, file);
    const template = parseJsonObject(readFileSync(path, 'utf8'), file);
    const resources = Object.entries(asObject(template['Resources'])).flatMap(([id, resource]) => {
      const changed = change(asObject(resource), id);
      return changed === undefined ? [] : [[id, changed] as const];
    });
    writeFileSync(path, JSON.stringify({ ...template, Resources: Object.fromEntries(resources) }));
  }
}

/** A resource without some statements of its policy document. */
export function withoutStatements(resource: JsonObject, isOut: (statement: string) => boolean): JsonObject {
  const properties = asObject(resource['Properties']);
  const document = asObject(properties['PolicyDocument']);
  const statements = [document['Statement'] ?? []].flat();
  const Statement = statements.filter((statement) => !isOut(JSON.stringify(statement)));
  return { ...resource, Properties: { ...properties, PolicyDocument: { ...document, Statement } } };
}

/** A resource with other properties. */
export function withProperties(resource: JsonObject, properties: JsonObject): JsonObject {
  return { ...resource, Properties: { ...asObject(resource['Properties']), ...properties } };
}

/** A resource that grants nothing of one action. */
export const withoutAction =
  (action: string): ChangeResource =>
  (resource) =>
    JSON.parse(JSON.stringify(resource).replaceAll(`"${action}"`, '"none:None"'));
