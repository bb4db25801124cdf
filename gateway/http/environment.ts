/** What travels with one request through the router. */
import type { HttpBindings } from '@hono/node-server';

/** The router's environment: node's own request and response, and what the middleware found out. */
export interface GatewayEnvironment {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The body as it was read, once; kept for the request log. */
    bodyText: string | undefined;
    /** The fault that struck this request, and the status it sent, if any. */
    struck: { readonly fault: string; readonly status: number | null } | undefined;
  };
}
