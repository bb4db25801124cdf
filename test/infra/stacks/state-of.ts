import { plainId } from '../security/words.ts';
import { at, type Json, listOf, ofType, type StageTemplates, textAt } from '../template.ts';

/** The resources of the state whose id is this one, but for its hash. */
export function idsOf({ state }: StageTemplates, name: string): string[] {
  return Object.keys(state.resources).filter((id) => plainId(id) === name);
}

/** What the state declares about a resource; nothing if there is none. */
export function propertiesOf(stage: StageTemplates, name: string): { readonly [key: string]: Json } {
  const [id = ''] = idsOf(stage, name);
  return stage.state.resources[id]?.Properties ?? {};
}

/** The statements of the policies on a resource of the state. */
export function statementsOf({ state }: StageTemplates, type: string, property: string, id: string): Json[] {
  return ofType(state, type)
    .filter(([, { Properties }]) => listOf(Properties[property]).some((target) => at(target, 'Ref') === id))
    .flatMap(([, { Properties }]) => listOf(at(Properties, 'PolicyDocument.Statement')));
}

/** What the bucket refuses to take, by the name of the statement. */
export function refusals(stage: StageTemplates): Record<string, Json | undefined> {
  const [bucket = ''] = idsOf(stage, 'Bucket');
  return Object.fromEntries(
    statementsOf(stage, 'AWS::S3::BucketPolicy', 'Bucket', bucket)
      .filter((statement) => at(statement, 'Action') === 's3:PutObject')
      .map((statement) => [textAt(statement, 'Sid'), at(statement, 'Condition')]),
  );
}
