/** The public face of the gateway client: the six operations, their errors, and what may be repeated. */
export { backOffMs, laterDelayMs } from './retry-timing.ts';
export type { Random } from './retry-timing.ts';
export { parseBaseUrl } from './transport/addresses.ts';
export type { BaseUrl } from './transport/addresses.ts';
export type { TokenProvider } from './options.ts';
export type { Campaign, CampaignRunShown, UpdateCampaignRunInput } from './endpoints/campaigns.ts';
export { classifyFailure } from './failures/classify-failure.ts';
export { createGatewayClient } from './client.ts';
export type { GatewayClient } from './client.ts';
export type { GatewayConfig } from './endpoints/projects.ts';
export { type FileForm, fileForm } from './endpoints/file-form.ts';
export { datasetsPath, type CreateDatasetInput } from './endpoints/datasets.ts';
export type { Endpoint, ListEndpointsResponse } from './endpoints/projects.ts';
export type { ErrorDetails, FieldComplaint } from './failures/answer-errors.ts';
export { BadBodyError, BadStatusError, failureWords, RedirectError } from './failures/answer-errors.ts';
export {
  CertificateError,
  ConnectionLostError,
  GatewayError,
  GatewayTimeoutError,
  InvalidInputError,
  MalformedTokenError,
  NotSentError,
  TokenUnavailableError,
} from './failures/errors.ts';
export type { BadBodyReason } from './failures/answer-errors.ts';
export type { ListScannerPackagesInput, ScannerPackagesPage } from './endpoints/list-scanner-packages.ts';
export type { CallOptions, GatewayClientOptions, GatewayConnection, GatewayTimeouts, RequestInfo } from './options.ts';
export type { Project } from './endpoints/projects.ts';
export type { ScannerPackage, ScannerPackageFilters } from './endpoints/scanner-packages.ts';
export type { ClassifyOptions, OperationVerb, Verdict } from './failures/verdict.ts';
