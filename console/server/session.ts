/**
 * Who may ask. The address that the console prints holds a token in its fragment, which no browser
 * sends to a server. The page sends it in a header, once, and gets the secret of a session. Every
 * request bears that secret in `Authorization`. A cookie would also go to the servers of other
 * users on other ports of 127.0.0.1, since cookies know no port (RFC 6265, section 8.5).
 */
import { isSameText } from '#shared/net/loopback.ts';

/** A token that was not used dies after this time. */
export const tokenForMs = 5 * 60_000;

/** One browser tab that showed a token. */
export interface Session {
  /** Aborted when it ends, so that its streams end too. */
  readonly ended: AbortSignal;
  /** Names in the console of the deployed stages whose own name the person typed: two regions may hold stages of the same name. */
  readonly confirmed: Set<string>;
}

/** What sessions need. */
export interface SessionDeps {
  /** 32 bytes that no other process can guess, as text. */
  readonly secret: () => string;
  /** Real milliseconds from an arbitrary start: a clock that is moved ends no token. */
  readonly elapsedMs: () => number;
}

/** The sessions of one console. */
export interface Sessions {
  /** A token for one use; the one before it is void. */
  readonly newToken: () => string;
  /**
   * Takes a token for the secret of a new session; `undefined` if it is not the token, was used, or is too old. A token that
   * is shown twice ends the session that it opened. Other users read the command line of a browser, and may have come first.
   */
  readonly open: (token: string) => string | undefined;
  /** The session of an `Authorization` header. */
  readonly find: (authorization: string | undefined) => Session | undefined;
  /** Ends them all: the next listener on the port has no use for a secret that a tab still holds. */
  readonly end: () => void;
}

const scheme = 'Bearer ';

/** Sessions in memory: they end with the process. */
export function createSessions({ secret, elapsedMs }: SessionDeps): Sessions {
  let current: { readonly token: string; readonly madeAtMs: number } | undefined;
  const sessions = new Map<string, Session & { readonly token: string; readonly end: () => void }>();

  return {
    newToken() {
      current = { token: secret(), madeAtMs: elapsedMs() };
      return current.token;
    },
    open(token) {
      for (const [made, session] of sessions) {
        if (!isSameText(token, session.token)) continue;
        sessions.delete(made);
        session.end();
      }
      if (current === undefined || elapsedMs() - current.madeAtMs > tokenForMs) return undefined;
      if (!isSameText(token, current.token)) return undefined;
      current = undefined;
      const made = secret();
      const ended = new AbortController();
      sessions.set(made, { token, confirmed: new Set(), ended: ended.signal, end: () => ended.abort() });
      return made;
    },
    find(authorization = '') {
      if (!authorization.startsWith(scheme)) return undefined;
      const given = authorization.slice(scheme.length);
      // Each is compared in a time that says nothing; there is one for each tab.
      let found: Session | undefined;
      for (const [known, session] of sessions) if (isSameText(given, known)) found = session;
      return found;
    },
    end() {
      current = undefined;
      sessions.clear();
    },
  };
}
