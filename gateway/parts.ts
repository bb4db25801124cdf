/** What the operations and the control surface are handed. */
import type { FaultRegistry } from './faults/fault-registry.ts';
import type { TokenSet } from './http/bearer.ts';
import type { RunPolicy } from './run-policy.ts';
import type { Store } from './store/store.ts';

/** The gateway's parts, built once by `startGateway`. */
export interface GatewayParts {
  readonly store: Store;
  readonly tokens: TokenSet;
  readonly faults: FaultRegistry;
  readonly policy: RunPolicy;
  /** Only the types that the interface shows are taken. */
  readonly isStrict: boolean;
  readonly now: () => Date;
  /** Hears of an error that became a 500. */
  readonly onDefect: (error: unknown) => void;
  /** Aborted when the gateway closes: whatever waits, stops waiting. */
  readonly closing: AbortSignal;
}
