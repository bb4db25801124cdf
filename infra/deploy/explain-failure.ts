import { stackNames } from '#shared/vocabulary/stack-outputs.ts';

/** The command that lets a protected stack be deleted. */
export function unprotectCommand(stage: string): string {
  return `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${stackNames(stage).state}`;
}

/** What a person needs to know of a failure that the CDK explains at length; undefined where its own words are the best there are. */
export function explainFailure(said: string, stage: string): string | undefined {
  return causes.find(({ pattern }) => pattern.test(said))?.explain(stage);
}

/** By the words of aws-cdk 2.1148.1 and of AWS; what comes first also covers what follows. */
const causes: readonly { readonly pattern: RegExp; readonly explain: (stage: string) => string }[] = [
  {
    pattern: /ExpiredToken|token (?:included in the request )?(?:is|has) expired|SSO session .*(?:expired|invalid)/i,
    explain: () => 'your AWS credentials have expired: sign in again (aws sso login), then repeat',
  },
  {
    pattern: /InvalidClientTokenId|UnrecognizedClientException|security token included in the request is invalid/,
    explain: () => 'AWS does not know your credentials: look at them with aws sts get-caller-identity, then repeat',
  },
  {
    pattern:
      /Unable to resolve AWS account|no credentials have been configured|Could not load credentials|Unable to locate credentials/i,
    explain: () => 'there are no AWS credentials here: aws sso login or --profile NAME, then repeat',
  },
  {
    pattern: /Region is missing|Missing region/i,
    explain: () => 'no AWS region is set: --region NAME, or one in the profile, then repeat',
  },
  {
    // Not the mere name of its parameter: every diff of a new stack has that.
    pattern:
      /SSM parameter \/cdk-bootstrap\S+ not found|requires bootstrap stack version|has the environment been bootstrapped/i,
    explain: () =>
      'this account and region are not ready for the CDK, or by an old version of it: npx cdk bootstrap, once, then repeat',
  },
  {
    pattern: /TerminationProtection is enabled/,
    explain: (stage) =>
      `${stackNames(stage).state} is protected from being deleted: ${unprotectCommand(stage)}, then repeat`,
  },
];
