import { expect, test } from 'vitest';
import { createAuthority } from '#local/aws/iam/authority.ts';
import { functionsOfTemplate } from '#local/stage/template-functions.ts';
import { StartProblem } from '#local/state/start-problem.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { assemblyOf } from '../../../builders/write-assembly.ts';

function functionsTrusting(service: string) {
  const template = {
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        AssumeRolePolicyDocument: {
          Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: service } }],
        },
      },
    },
    Worker: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        Code: { S3Key: 'code.zip' },
        Handler: 'handler.handler',
        Runtime: 'nodejs24.x',
      },
    },
  };
  const assembly = { ...assemblyOf({ App: { Resources: template } }), assetPath: () => 'code' };
  return functionsOfTemplate(assembly, createAuthority(assembly, developerKey), 'clock.json');
}

// "The role defined for the function cannot be assumed by Lambda": CreateFunction refuses it, so a
// deployment fails. docs.aws.amazon.com/lambda/latest/dg/troubleshooting-deployment.html
test('a function whose role does not trust Lambda is refused at the start', () => {
  expect(functionsTrusting('lambda.amazonaws.com')).toMatchObject([{ name: 'App-Worker' }]);

  expect(() => functionsTrusting('scheduler.amazonaws.com')).toThrow(StartProblem);
  expect(() => functionsTrusting('scheduler.amazonaws.com')).toThrow(
    'App-Worker: the role defined for the function cannot be assumed by Lambda',
  );
});
