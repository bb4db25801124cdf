import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { packageFolder } from '#shared/places.ts';
import { grantedIn } from '../security/granted.ts';
import { plainId } from '../security/words.ts';
import { configurations, ofType, type StageTemplates, synthesize, targetOf, textAt } from '../template.ts';

const [, picture = ''] =
  /```mermaid\n([\s\S]*?)```/.exec(readFileSync(join(packageFolder, 'docs', 'architecture.md'), 'utf8')) ?? [];

let stage: StageTemplates;

beforeAll(async () => {
  stage = await synthesize(configurations.example);
});

/** The node of a queue or a function. */
function nodeOf(id: string): string {
  return id.includes('DeadLetters') && !id.includes('Function') ? 'deadLetters' : plainId(id).replace(/Function$/, '');
}

test('the picture of docs/architecture.md has each function, and what feeds it', () => {
  for (const [id, { Properties }] of ofType(stage.workers, 'AWS::Lambda::Function')) {
    expect(picture).toContain(`    ${nodeOf(id)}["${textAt(Properties, 'Description').split(' of ')[0]}"]\n`);
  }
  for (const [, { Properties }] of ofType(stage.workers, 'AWS::Lambda::EventSourceMapping')) {
    const [queue, worker] = [Properties['EventSourceArn'], Properties['FunctionName']];
    expect(picture).toContain(`  ${nodeOf(targetOf(queue, stage))} --> ${nodeOf(targetOf(worker, stage))}\n`);
  }
});

test('it has an arrow for each queue that a function sends to, with the reason of its grant', () => {
  const sends = grantedIn(stage).granted.flatMap(({ to, action, resource, why }) =>
    to.kind === 'role' && action === 'sqs:SendMessage' && to.id.includes('FunctionRole')
      ? [
          `  ${to.id.replace(/FunctionRole.*/, '')} -->|"${why.replaceAll('`', '')}"| ${nodeOf(targetOf(resource, stage))}\n`,
        ]
      : [],
  );

  expect(sends.length).toBeGreaterThan(4);
  for (const arrow of sends) expect(picture).toContain(arrow);
});
