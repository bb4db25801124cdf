import { type ConfigProblem, formatPath } from '../config-problem.ts';
import { watchNamePattern, watchNameRule } from '../names.ts';
import type { ItemOutline, Outline } from '../schema/outline.ts';

/** What two keys say together about a watch: projects that cannot name their schedule, rules that no change can ever match. */
export function watchProblems({ packageWatches, projectWatches }: Outline): ConfigProblem[] {
  return [
    ...projectWatches.flatMap(unnamedProject),
    ...packageWatches.flatMap(({ matches }) => matches).flatMap(neverMatching),
  ];
}

/** A project's own name may hold what a schedule's cannot. */
function unnamedProject(watch: ItemOutline): ConfigProblem[] {
  const project = watch.text('project');
  if (project === undefined || watch.keys.has('name') || watchNamePattern.test(project.text)) return [];
  const message = `needs a name: "${project.text}" cannot name its schedule, which is ${watchNameRule}.`;
  return [{ path: formatPath(watch.path), message }];
}

/** The field of a package rule is one that changed: a package that came or went has none. */
function neverMatching(match: ItemOutline): ConfigProblem[] {
  const [field, kind] = [match.text('field'), match.text('kind')];
  if (field === undefined || (kind?.text !== 'added' && kind?.text !== 'removed')) return [];
  const message = `is "${kind.text}", and field is one that changed: no package is both, so this starts nothing; leave one of them out.`;
  return [{ path: formatPath(kind.path), message }];
}
