import { docPage } from '#shared/places.ts';
import { stackNames } from '#shared/vocabulary/stack-outputs.ts';

/** The command that lets a protected stack be deleted. */
export function unprotectCommand(stage: string): string {
  return `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${stackNames(stage).state}`;
}

/** What a person needs to know of a failure that the CDK explains at length; undefined where its own words are the best there are. */
export function explainFailure(said: string, stage: string): string | undefined {
  for (const { pattern, explain } of causes) {
    const found = pattern.exec(said);
    if (found !== null) return explain(stage, found[1] ?? '');
  }
  return undefined;
}

/** Returns true if the CDK found no credentials. It says the same of a profile that asks for an MFA code. */
export function lacksCredentials(said: string): boolean {
  return noCredentials.test(said);
}

/**
 * The line about a profile that asks for an MFA code: the CDK gets no input here, and would ask for a new code at each call.
 * The AWS CLI asks once ("aws configure export-credentials" in its command reference).
 */
export function explainMfa(profile: string): string {
  return (
    `the profile ${profile} asks for an MFA code, and nothing here can enter one: ` +
    `eval "$(aws configure export-credentials --profile ${profile} --format env)", then repeat without --profile and AWS_PROFILE`
  );
}

const noCredentials =
  /Unable to resolve AWS account|no credentials have been configured|Could not load credentials|Unable to locate credentials/i;

/** By the words of aws-cdk 2.1148.1 and of AWS; what comes first also covers what follows. The first group of a pattern is the name of a resource. */
const causes: readonly { readonly pattern: RegExp; readonly explain: (stage: string, name: string) => string }[] = [
  {
    pattern: /ExpiredToken|token (?:included in the request )?(?:is|has) expired|SSO session .*(?:expired|invalid)/i,
    explain: () => 'your AWS credentials have expired: sign in again (aws sso login), then repeat',
  },
  {
    pattern: /InvalidClientTokenId|UnrecognizedClientException|security token included in the request is invalid/,
    explain: () => 'AWS does not know your credentials: look at them with aws sts get-caller-identity, then repeat',
  },
  {
    pattern: noCredentials,
    explain: () => 'there are no AWS credentials here: aws sso login or --profile NAME, then repeat',
  },
  {
    pattern: /Region is missing|Missing region/i,
    explain: () => 'no AWS region is set: --region NAME, or one in the profile, then repeat',
  },
  {
    // The bootstrap compares its template with that of CDKToolkit, which is still the same: it makes no bucket that was deleted by hand.
    pattern: /No bucket named '([^']+)'/,
    explain: (_stage, bucket) =>
      `the bucket ${bucket} of the CDK's bootstrap is missing: npx cdk bootstrap, after aws cloudformation delete-stack --stack-name CDKToolkit if that stack is still there, then repeat`,
  },
  {
    pattern: /Bucket named '([^']+)' exists, but we dont have access to it/,
    explain: (_stage, bucket) =>
      `the bucket ${bucket} of the CDK's bootstrap is closed to you: deploy as a role that may use it, or look whose it is, then repeat`,
  },
  {
    // Not the mere name of its parameter: every diff of a new stack has that.
    pattern:
      /SSM parameter \/cdk-bootstrap\S+ not found|requires bootstrap stack version|has the environment been bootstrapped|must be uploaded to S3|Use 'cdk bootstrap' to correct this/i,
    explain: () =>
      'this account and region are not ready for the CDK, or by an old version of it: npx cdk bootstrap, once, then repeat',
  },
  {
    // The words of a resource that fails, and of CloudFormation's look at names before it begins.
    pattern: /["' ]([\w.-]+)'? already exists\b.*(?:HandlerErrorCode: AlreadyExists|\(at \/Resources\/)/,
    explain: (_stage, name) =>
      `${name} is in the account already, kept from when it left a stack: ${docPage('deploying.md')}, "Back to what was kept", says how to go on with it`,
  },
  {
    pattern: /TerminationProtection is enabled/,
    explain: (stage) =>
      `${stackNames(stage).state} is protected from being deleted: ${unprotectCommand(stage)}, then repeat`,
  },
];
