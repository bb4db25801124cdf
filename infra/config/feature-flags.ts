import cdkJson from '../../cdk.json' with { type: 'json' };

/** The flags of CDK that the templates are made and tested with: under `cdk`, by itself and in somebody else's app the same ones hold. */
export const featureFlags: Readonly<Record<string, unknown>> = cdkJson.context;
