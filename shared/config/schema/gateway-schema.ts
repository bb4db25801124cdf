/** The gateway that a stage works with, and its own words. */
import * as z from 'zod';
import { checkBaseUrl, checkProxy } from '../../gateway-client/addresses.ts';
import { isLoopback } from '../../net/loopback.ts';
import { readCaBundle, type ReadText } from './ca-bundle.ts';
import { defaultStopWord } from './names.ts';
import { section } from './section.ts';
import { checked, durationBy, errorStatus, filled, listOf, rate, readBy } from './value-schemas.ts';

/** What is read of it is what the client needs: `caBundle` is the certificates themselves in PEM. */
export function gatewaySchema(options: { readonly isLocalStage: boolean; readonly readText?: ReadText | undefined }) {
  return section(
    {
      /** Exact origin; https unless it is loopback (then only for the local stages). Redirects are never followed. */
      baseUrl: readBy((url) => checkBaseUrl(url, options), 'https://gateway.example.com'),
      /** File with the certificates (PEM) of the authorities that vouch for this gateway, from this file's folder. They ship with the functions, and are trusted for this gateway alone, instead of the public ones. @default the public ones */
      caBundle: readBy((path) => readCaBundle(path, options.readText))
        .transform(({ pem }) => pem)
        .optional(),
      /** The outbound proxy that every request to the gateway goes through, `http://proxy.example.com:3128`: it sees host and port, the rest is between function and gateway. No credentials. A gateway on this machine is reached without it. @default none */
      proxy: checked(checkProxy).optional(),
      /** This gateway's status words. @default a run is started by its `startAt` and stopped by `cancelled` */
      status: section(
        {
          /** The word of a PATCH that starts a run: only for a gateway that wants one. @default none: `startAt` alone starts a run */
          start: filled.optional(),
          /** The word of a PATCH that stops a run. */
          stop: filled.prefault(defaultStopWord),
        },
        "{ stop: 'cancelled' }",
      ).prefault({}),
      /** How far ahead of now a `startAt` is at least: it has to reach the gateway before it. */
      startLead: durationBy(undefined, '1 minute').prefault('1 minute'),
      /** Requests a second, over all workers of a kind. The gateway must allow `runs` + `reads` together: a start makes one of each. The two are 1 s ÷ an environment's share of that sum apart. @default each as below */
      requestsPerSecond: section({
        /** POST of datasets, at least 0.1. */
        datasets: rate(0.1).default(4),
        /** PATCH of runs, at least 0.4. */
        runs: rate(0.4).default(0.5),
        /** GET of campaigns, projects and listings, at least 0.1. */
        reads: rate(0.1).default(2),
      }).prefault({}),
      /** Texts (parts of them) of a refusal that mean "it is so already". @default none */
      alreadyInState: section(
        {
          /** Of the start of a run: it counts as applied while another request of it has no answer. */
          start: listOf(filled).default([]),
          /** Of the stop of a run: it counts as stopped. */
          stop: listOf(filled).default([]),
        },
        "{ stop: ['already cancelled'] }",
      ).prefault({}),
      /**
       * Of a gateway with a word for `status.start`: a start of a run that runs or has run changes nothing there. A start without an answer is then
       * sent again. If this is wrong, it runs twice. A gateway that starts by `startAt` alone begins a run once, so there it is always so.
       * @default false
       */
      startsRepeatSafely: z.boolean().optional(),
      /** The gateway has `GET /backend/v1/campaign-runs/{id}`, which is not in the interface: each run in flight is read, and ends as the gateway says. @default false */
      readsRuns: z.boolean().optional(),
      /**
       * The gateway has `POST /backend/v1/campaign-schedules` and `GET /backend/v1/campaign-runs`, which are not in the interface. Autopilot makes
       * the runs of each run that has `providerIds`, and lists them. The token must be allowed to make schedules. @default false
       */
      makesRuns: z.boolean().optional(),
      /** Statuses after which this gateway has not made the dataset, by its vendor's word. Such a POST is repeated; otherwise it is parked POST_OUTCOME_UNKNOWN. A wrong one here makes datasets twice. */
      postMayRepeatOn: listOf(errorStatus).default([]),
      /** How this gateway takes scanner versions: as an array, as comma-separated text, or as a JSON array in a text. @default 'array' */
      scannerVersionsAs: z
        .enum(['array', 'comma-separated', 'json-text'])
        .transform((form) => (form === 'array' ? undefined : form)) // the client's own
        .optional(),
    },
    "{ baseUrl: 'https://gateway.example.com' }",
    { token: 'a token is no setting; autopilot token set gives it to the stage' },
  ).transform(({ proxy, startsRepeatSafely, ...gateway }) => ({
    ...gateway,
    // Its CONNECT would reach the proxy's own machine.
    ...(proxy === undefined || isLoopback(new URL(gateway.baseUrl).hostname) ? {} : { proxy }),
    // Without a word a start moves `startAt`, and a run begins once.
    startsRepeatSafely: gateway.status.start === undefined || startsRepeatSafely === true,
  }));
}
