/**
 * A gateway of the test's own, in memory, on a free port, with a client that answers status,
 * headers and JSON.
 */
import { vi } from 'vitest';
import { type GatewayOptions, type RunningGateway, startGateway } from '#gateway/server.ts';
import type { ValidationDetail } from '#gateway/http/environment.ts';
import type {
  CampaignResource,
  CampaignRun,
  Dataset,
  EndpointResource,
  ProjectResource,
  StoredScannerPackage,
  Transition,
} from '#gateway/model/resources.ts';
import type { LoggedRequest } from '#gateway/store/request-log.ts';

export const token = 'a-good-token';

/** A dataset that either profile takes. */
export const aDataset = { fileId: '019ba000-0000-7000-8000-000000000b01', name: 'a dataset' };

/** What any answer may hold; a test asserts what this one holds. */
export interface Body {
  readonly project?: ProjectResource;
  readonly campaign?: CampaignResource;
  readonly endpoints?: readonly EndpointResource[];
  readonly packages?: readonly StoredScannerPackage[];
  readonly next?: string | null;
  readonly prev?: string | null;
  readonly id?: string;
  readonly detail?: readonly ValidationDetail[];
  readonly datasets?: readonly Dataset[];
  readonly campaignRuns?: readonly LoggedRun[];
  readonly campaignRun?: Readonly<Record<string, unknown>>;
  readonly requests?: readonly LoggedRequest[];
  readonly faults?: readonly unknown[];
}

type LoggedRun = CampaignRun & { readonly transitions: readonly Transition[] };

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Null if the answer had none. */
  readonly body: Body;
}

export interface TestGateway extends RunningGateway {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Arms a fault; the test fails if it is refused. */
  arm(fault: unknown): Promise<void>;
}

/** Starts one; close it when done. */
export async function runningGateway(options: Partial<GatewayOptions> = {}): Promise<TestGateway> {
  const gateway = await startGateway({ port: 0, database: ':memory:', tokens: [token], ...options });
  const authorization = `Bearer ${token}`;

  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    // A form names its own type, with its boundary.
    const isJson = body !== undefined && !(body instanceof FormData);
    const response = await fetch(gateway.url + path, {
      method,
      redirect: 'manual',
      headers: { authorization, ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers },
      ...(isJson ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text === '' ? 'null' : text) };
  }

  return {
    ...gateway,
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    async arm(fault) {
      const { status, body } = await send('POST', '/_control/faults', fault);
      if (status !== 201) throw new Error(`fault refused: ${JSON.stringify(body)}`);
    },
  };
}

/** The places that a 422 complains about, as `query.limit`. */
export function complaints(answer: Answer): string[] {
  return answer.body.detail?.map((detail) => detail.loc.join('.')) ?? [];
}

/** A run with all that happened to it, as the control surface shows it. */
export async function runOf(gateway: TestGateway, id: string): Promise<LoggedRun | undefined> {
  const { body } = await gateway.get('/_control/campaign-runs');
  return body.campaignRuns?.find((run) => run.id === id);
}

/** Waits until the assertion holds, with patience for a busy machine. */
export function eventually(assertion: () => Promise<void>): Promise<void> {
  return vi.waitFor(assertion, { timeout: 120_000, interval: 10 });
}
