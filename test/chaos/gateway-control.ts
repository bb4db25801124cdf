/** The control surface of the embedded gateway: what happened there, seen from outside. */
export interface GatewayControl {
  readonly get: (path: string) => Promise<unknown>;
  /** @throws Error with the gateway's text if it says no */
  readonly send: (method: 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<unknown>;
}

/** Opens the control surface of a gateway. */
export function openGatewayControl(gatewayUrl: string): GatewayControl {
  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const request = {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    };
    const once = async () => fetch(`${gatewayUrl}/_control${path}`, request);
    // The gateway closes a connection that was idle for 5 s, and a request can meet that moment;
    // each of these may be sent twice.
    const answer = await once().catch(once);
    if (!answer.ok) throw new Error(`${method} /_control${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  return { get: async (path) => call('GET', path), send: call };
}
