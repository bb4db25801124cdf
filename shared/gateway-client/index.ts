/** The public face of the gateway client: the six operations, their errors, and what may be repeated. */
export { backOffMs, laterDelayMs } from './back-off.ts';
export type { Random } from './back-off.ts';
export { parseBaseUrl } from './base-url.ts';
export type { BaseUrl } from './base-url.ts';
export type { TokenProvider } from './bearer-token.ts';
export type { UpdateCampaignRunInput, UpdateCampaignRunResponse } from './campaign-runs.ts';
export type { Campaign, GetCampaignInput, GetCampaignResponse } from './campaigns.ts';
export { classifyFailure } from './classify-failure.ts';
export { createGatewayClient } from './client.ts';
export type { GatewayClient } from './client.ts';
export type { ConfigEntry, GatewayConfig } from './config-schema.ts';
export { datasetsPath, type CreateDatasetInput, type CreateDatasetResponse } from './datasets.ts';
export type { Endpoint, ListEndpointsInput, ListEndpointsResponse } from './endpoints.ts';
export type { ErrorDetails, FieldComplaint } from './error-details.ts';
export { BadBodyError, BadStatusError, CursorLoopError, PageLimitError, RedirectError } from './answer-errors.ts';
export {
  CertificateError,
  ConnectionLostError,
  GatewayError,
  GatewayTimeoutError,
  InvalidInputError,
  MalformedTokenError,
  NotSentError,
  TokenUnavailableError,
} from './errors.ts';
export type { BadBodyReason } from './answer-errors.ts';
export { tokenFacts } from './failure-facts.ts';
export type { FailureFacts } from './failure-facts.ts';
export type { ListScannerPackagesInput, ScannerPackagesPage } from './list-scanner-packages.ts';
export { connectionOf } from './options.ts';
export type { CallOptions, GatewayClientOptions, GatewayConnection, GatewayTimeouts, RequestInfo } from './options.ts';
export type { GetProjectInput, GetProjectResponse, Project } from './projects.ts';
export type { ScannerPackage, ScannerPackageFilters } from './scanner-packages.ts';
export type { ClassifyOptions, OperationVerb, Verdict } from './verdict.ts';
