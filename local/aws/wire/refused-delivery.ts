/** Deliveries between services that did not happen. */

/** A delivery that a policy refused, or whose target is not there. */
export interface RefusedDelivery {
  /** For instance `s3.amazonaws.com`. */
  readonly from: string;
  readonly source: string;
  readonly target: string;
  readonly message: string;
}
