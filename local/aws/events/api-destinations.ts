/**
 * EventBridge's API destinations. On AWS each calls its own address; here all call one program on
 * this machine, or none.
 */
import { arnOf, asText, type ResolvedAssembly, resourcesOfType } from '../../template/assembly.ts';

/** A request that a rule makes of a destination. */
interface DestinationCall {
  readonly arn: string;
  /** JSON. */
  readonly payload: string;
  /** Gets what EventBridge writes into the attributes of a dead letter. */
  readonly onGivenUp: (failure: DestinationFailure) => void;
}

/**
 * Why a destination did not take a request, in EventBridge's attributes ("Using dead-letter
 * queues", EventBridge User Guide).
 */
export interface DestinationFailure {
  readonly ERROR_CODE: string;
  readonly ERROR_MESSAGE: string;
}

/** The destinations of a stage. */
export interface ApiDestinations {
  /** Begins a request and returns at once; throws if no destination has this ARN. */
  call(call: DestinationCall): void;
  /** Ends what is under way. */
  close(): void;
}

/** How the destinations are reached. */
export interface ApiDestinationsOptions {
  readonly assembly: ResolvedAssembly;
  /**
   * Address that stands for every destination; the destination's name is added to its path. Absent:
   * nothing is sent.
   */
  readonly url: string | undefined;
  readonly log: (line: string) => void;
}

/**
 * "API destinations request a maximum client execution timeout of 5 seconds" (API destinations,
 * EventBridge User Guide).
 */
const timeoutMs = 5_000;

/** Opens the destinations of the template. */
export function openApiDestinations({ assembly, url, log }: ApiDestinationsOptions): ApiDestinations {
  const ending = new AbortController();
  const destinations = new Map(
    resourcesOfType(assembly, 'AWS::Events::ApiDestination').map((resource) => [arnOf(resource), resource]),
  );
  const silent = new Set<string>();
  if (url !== undefined && destinations.size === 0)
    log('--webhooks is not called: the configuration names no webhook (notify.webhooks)');

  return {
    call({ arn, payload, onGivenUp }) {
      const destination = destinations.get(arn);
      if (destination === undefined) throw new Error('there is no such target');
      if (url === undefined) {
        if (!silent.has(arn))
          log(`webhook ${destination.name} is not called here: start with --webhooks URL to call one`);
        silent.add(arn);
        return;
      }
      const request = {
        address: `${url.replace(/\/$/, '')}/${destination.name}`,
        method: asText(destination.properties['HttpMethod']) ?? 'POST',
        payload,
        ending: ending.signal,
      };
      void (async () => {
        const failure = await send(request);
        if (failure === undefined || ending.signal.aborted) return;
        log(`webhook ${destination.name} took nothing: ${failure.ERROR_MESSAGE}`);
        onGivenUp(failure);
      })();
    },
    close: () => ending.abort(),
  };
}

interface DestinationRequest {
  readonly address: string;
  readonly method: string;
  readonly payload: string;
  readonly ending: AbortSignal;
}

/** EventBridge repeats for a day, up to 185 times; here one attempt shows what a program answers. */
async function send({ address, method, payload, ending }: DestinationRequest): Promise<DestinationFailure | undefined> {
  try {
    const { status, body } = await fetch(address, {
      method,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Amazon/EventBridge/ApiDestinations',
      },
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)]),
    });
    await body?.cancel();
    return status >= 200 && status < 300 ? undefined : failed(`the answer was ${status}`);
  } catch (error) {
    return failed(String(error));
  }
}

function failed(message: string): DestinationFailure {
  return { ERROR_CODE: 'SDK_CLIENT_ERROR', ERROR_MESSAGE: message };
}
