/** The change that every subject sends: a stop, with the headers that the product sends. */
export const change = {
  campaignRunId: '019ba000-0000-7000-8000-000000000301',
  status: 'stopped',
  token: 'bench-token-0123456789abcdef0123456789abcdef',
  requestId: '0b4c9a3e-6d52-4f0e-9a64-2f1f5f3d7c11',
} as const;

export const changePath = `/backend/v1/campaign-runs/${change.campaignRunId}`;

/** The headers that a client has to send. */
export const changeHeaders = {
  authorization: `Bearer ${change.token}`,
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'gateway-autopilot',
  'x-request-id': change.requestId,
} as const;
