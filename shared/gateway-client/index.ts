/** The public face of the gateway client: the six operations, their errors, and what may be repeated. */
export { backOffMs, laterDelayMs, type Random } from './retry-timing.ts';
export { type BaseUrl, parseBaseUrl } from './transport/addresses.ts';
export { createGatewayClient, type GatewayClient } from './client.ts';
export type * from './options.ts';
export type { Campaign, CampaignRunShown, UpdateCampaignRunInput } from './endpoints/campaigns.ts';
export { type CreateDatasetInput, datasetsPath } from './endpoints/datasets.ts';
export { type FileForm, fileForm } from './endpoints/file-form.ts';
export type { Endpoint, GatewayConfig, ListEndpointsResponse, Project } from './endpoints/projects.ts';
export type { ListScannerPackagesInput, ScannerPackage, ScannerPackageFilters } from './endpoints/scanner-packages.ts';
export {
  BadBodyError,
  type BadBodyReason,
  BadStatusError,
  type ErrorDetails,
  factsOf,
  failureWords,
  type FieldComplaint,
  RedirectError,
} from './failures/answer-errors.ts';
export { classifyFailure } from './failures/classify-failure.ts';
export { type FailureFacts, type Trouble, troubleOf, troubles } from './failures/troubles.ts';
export type { Speaker } from './failures/speaker.ts';
export * from './failures/errors.ts';
export type { ClassifyOptions, OperationVerb, Verdict } from './failures/verdict.ts';
