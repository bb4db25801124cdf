/** The six operations of the interface: their names, methods and paths, said once for routes, faults and the request log. */

/** The name by which faults and the request log speak of an operation; the OpenAPI document's `operationId`. */
export type OperationName = keyof typeof operations;

/** All six, by name. */
export const operations = {
  getProject: { method: 'GET', path: '/backend/v1/projects/:project' },
  listEndpoints: { method: 'GET', path: '/backend/v1/endpoints' },
  getCampaign: { method: 'GET', path: '/backend/v1/campaigns/:campaignId' },
  listScannerPackages: { method: 'GET', path: '/backend/v1/scanner-packages' },
  updateCampaignRun: { method: 'PATCH', path: '/backend/v1/campaign-runs/:campaignRunId' },
  createDataset: { method: 'POST', path: '/backend/v1/datasets' },
} as const;

/** The names, for messages and checks. */
export const operationNames = Object.keys(operations) as readonly OperationName[];

const matchers = operationNames.map((name) => ({
  name,
  method: operations[name].method,
  path: new RegExp(`^${operations[name].path.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u'),
}));

/** The operation that a request addresses, if any; HEAD counts as GET. */
export function operationOf(method: string, path: string): OperationName | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return matchers.find((matcher) => matcher.method === asked && matcher.path.test(path))?.name;
}
