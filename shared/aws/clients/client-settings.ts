/**
 * Where a client calls and as whom. A worker gives none: the environment of its process decides. A process that knows several stages gives each
 * its own, so that a profile or an endpoint of the one never leads the other.
 */
export interface ClientSettings {
  readonly region?: string;
  /** A profile of the AWS configuration files, for credentials and for the region if none is given. */
  readonly profile?: string;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** False with an `endpoint`: a client refuses an endpoint together with FIPS or dual-stack addresses. */
  readonly useFipsEndpoint?: false;
  readonly useDualstackEndpoint?: false;
}
