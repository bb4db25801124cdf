import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CertificateError, failureWords, troubles } from '#shared/gateway-client/index.ts';
import { elsewhereCertificate, loopbackCertificate } from '../../integration/shared/gateway-client/certificates.ts';
import { clientOf, thrownBy } from '../../integration/shared/gateway-client/clients.ts';
import { expiredCertificate } from '../bench/expired-certificate.ts';
import { startRawGateway } from '../bench/raw-gateway.ts';

describe('a certificate', () => {
  describe.each([
    ['no authority vouches for', loopbackCertificate, {}, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['has expired', expiredCertificate, { caBundle: expiredCertificate.cert }, 'CERT_HAS_EXPIRED'],
    [
      'is of another host',
      elsewhereCertificate,
      { caBundle: elsewhereCertificate.cert },
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
  ])('that %s', (_name, tls, options, code) => {
    it('[A6] a certificate that is not to be trusted is taken by no call, and tried once', async () => {
      const gateway = await startRawGateway({ tls });
      const attempts: number[] = [];
      const client = clientOf(gateway.baseUrl, { ...options, onRequest: ({ attempt }) => attempts.push(attempt) });

      const error = await thrownBy(() => client.listScannerPackages().next());

      expect(error).toBeInstanceOf(CertificateError);
      expect(error).toMatchObject({ requestSent: false, cause: { code } });
      expect(attempts).toEqual([1]);
      expect(gateway.requests).toEqual([]);
    });
  });

  it('[A6] an environment that switches the check of certificates off is not obeyed', async () => {
    const gateway = await startRawGateway({ tls: loopbackCertificate });
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    onTestFinished(() => void vi.unstubAllEnvs());

    const error = await thrownBy(() => clientOf(gateway.baseUrl).listEndpoints());

    expect(error).toBeInstanceOf(CertificateError);
  });
});

describe('what is no TLS of ours', () => {
  const key = loopbackCertificate;
  it.each<readonly [string, () => Server, keyof typeof troubles]>([
    [
      'wants a certificate of its client',
      () => createTlsServer({ ...key, requestCert: true, maxVersion: 'TLSv1.2' }),
      'wants-certificate',
    ],
    ['speaks HTTP on the port of TLS', () => createHttpServer(), 'no-tls'],
    ['speaks HTTP/2 alone', () => createTlsServer({ ...key, ALPNProtocols: ['h2'] }), 'http2-only'],
  ])('[A6] a server that %s is told by name', async (_name, make, kind) => {
    const server = make();
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const client = clientOf(`https://127.0.0.1:${port}`, { caBundle: key.cert, repeatGets: false });

    const error = await thrownBy(() => client.listEndpoints());

    expect(failureWords(error)).toContain(troubles[kind].is);
  });
});
