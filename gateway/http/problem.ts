/** Every answer that is not a success, as one error class and two JSON bodies. */

/** One reason of a 422: where, what, and a stable kind. */
export interface ValidationDetail {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Thrown anywhere below the router; the router turns it into the answer. */
export class HttpProblem extends Error {
  readonly status: number;
  readonly detail: string | readonly ValidationDetail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string | readonly ValidationDetail[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof detail === 'string' ? detail : 'the request fails validation');
    this.name = 'HttpProblem';
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }

  toResponse(): Response {
    return Response.json({ detail: this.detail }, { status: this.status, headers: this.headers });
  }
}

/** A 422 that names one field. */
export function invalid(loc: readonly (string | number)[], msg: string, type: string): HttpProblem {
  return new HttpProblem(422, [{ loc, msg, type }]);
}

/** A 404 that names what was asked for, by kind; the caller knows the id. */
export function notFound(kind: string): HttpProblem {
  return new HttpProblem(404, `${kind} not found`);
}

/** A 405 with the methods that would do. */
export function methodNotAllowed(allowed: readonly string[]): HttpProblem {
  return new HttpProblem(405, 'Method Not Allowed', { allow: allowed.join(', ') });
}
