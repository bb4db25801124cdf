import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CertificateError } from '#shared/gateway-client/index.ts';
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
