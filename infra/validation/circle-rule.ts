import { listOf, type Resource } from './read-template.ts';
import type { Rule, Template } from './stage-model.ts';

/** CloudFormation refuses such a template only when it is deployed. */
export const circleRule: Rule = {
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
