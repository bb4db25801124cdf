/** The authorities that vouch for the gateway. */
import { X509Certificate } from 'node:crypto';
import { toError } from '../../errors/app-error.ts';
import { dayMs, type Parsed, parsed, parseProblem } from '../../schedule/duration.ts';

/** Gives the text of a file that the document names; throws if it cannot be read. */
export type ReadText = (path: string) => string;

/** Reads a file that the document names. */
export function readFileOf(path: string, readText: ReadText | undefined): Parsed<string> {
  if (readText === undefined) return parseProblem(`"${path}" is a file, and here none can be read.`);
  try {
    return parsed(readText(path));
  } catch (error) {
    return parseProblem(`cannot be read: ${toError(error).message}`);
  }
}

/** The certificates of a file. */
export interface CaBundle {
  /** Nothing but the certificates: the rest of the file does not ship. */
  readonly pem: string;
  readonly certificates: readonly X509Certificate[];
}

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/**
 * Reads the authorities that vouch for the gateway. Trusted for its origin alone and instead of the
 * system's. So no public authority can vouch for another gateway behind a private one.
 */
export function readCaBundle(path: string, readText: ReadText | undefined): Parsed<CaBundle> {
  const read = readFileOf(path, readText);
  if (!read.ok) return read;
  const text = read.value;
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)) {
    return parseProblem(
      `"${path}" holds a private key, which belongs to the gateway alone; write its certificates into a file.`,
    );
  }
  const blocks = text.match(certificate) ?? [];
  if (blocks.length === 0) {
    return parseProblem(
      `"${path}" holds no certificate in PEM (-----BEGIN CERTIFICATE-----); DER: openssl x509 -inform der.`,
    );
  }
  const certificates: X509Certificate[] = [];
  for (const [index, block] of blocks.entries()) {
    try {
      certificates.push(new X509Certificate(block));
    } catch {
      return parseProblem(
        `"${path}": certificate ${index + 1} of ${blocks.length} cannot be read; write the file again.`,
      );
    }
  }
  return parsed({ pem: `${blocks.join('\n')}\n`, certificates });
}

/** A month is time enough to get the next one. */
const earlyDays = 30;

/**
 * What is odd about certificates that can be read: one that is over, or nearly, and one that can
 * sign no other.
 */
export function caBundleOddities({ certificates }: CaBundle, now: Date): string[] {
  return certificates.flatMap(({ subject, issuer, ca, validTo }) => {
    const who = subject.replaceAll('\n', ', ');
    const ends = new Date(validTo);
    const date = ends.toISOString().slice(0, 10);
    if (ends <= now) return [`the certificate of ${who} has expired on ${date}: what it vouches for is refused.`];
    const left = ends.getTime() - now.getTime();
    return [
      ...(left < earlyDays * dayMs ? [`the certificate of ${who} expires on ${date}.`] : []),
      // One that signed itself vouches for itself at least.
      ...(ca || subject === issuer ? [] : [`the certificate of ${who} is no authority: it vouches for nothing.`]),
    ];
  });
}
