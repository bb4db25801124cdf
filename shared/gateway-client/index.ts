/** The public face of the gateway client: its operations, their errors, and what may be repeated. */
export { backOffMs, laterDelayMs, type Random } from './retry-timing.ts';
export {
  createGatewayClient,
  type GatewayClient,
  type GatewayClientOptions,
  type GatewayConnection,
  type GatewayTimeouts,
  type TokenProvider,
} from './client.ts';
export type { RequestInfo } from './attempt.ts';
export type { CallOptions } from './operation.ts';
export type { Campaign, CampaignRunShown, UpdateCampaignRunInput } from './campaigns.ts';
export { type CreateDatasetInput, datasetsPath, type FileForm, fileForm } from './datasets.ts';
export type { Endpoint, GatewayConfig, ListEndpointsResponse, Project } from './projects.ts';
export type { ListScannerPackagesInput, ScannerPackage, ScannerPackageFilters } from './scanner-packages.ts';
export {
  classifyFailure,
  type ClassifyOptions,
  type OperationVerb,
  type Verdict,
} from './failures/classify-failure.ts';
export { type FailureFacts, type Trouble, troubleOf, troubles } from './failures/troubles.ts';
export * from './failures/errors.ts';
export type { ErrorDetails, FieldComplaint, Speaker } from './failures/error-details.ts';
