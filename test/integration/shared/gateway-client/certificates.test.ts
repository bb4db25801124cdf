import { describe, expect, it } from 'vitest';
import { CertificateError, classifyFailure } from '#shared/gateway-client/index.ts';
import { elsewhereCertificate, internalCertificate, loopbackCertificate, privateAuthority } from './certificates.ts';
import { clientOf, server, thrownBy } from './clients.ts';
import { sendJson } from './raw-server.ts';
import type { Respond } from './raw-server.ts';

const answerAll: Respond = (socket) => sendJson(socket, 200, { id: 'ds-1', endpoints: [] });

describe('certificates', () => {
  it('are taken if the bundle of the options vouches for them, for reads and for a POST', async () => {
    const gateway = await server(answerAll, { tls: loopbackCertificate });
    const client = clientOf(gateway.baseUrl, { caBundle: loopbackCertificate.cert });

    expect(await client.listEndpoints()).toMatchObject({ endpoints: [] });
    expect(await client.createDataset({ name: 'n' })).toMatchObject({ id: 'ds-1' });
    expect(await client.createDataset({ name: 'n' })).toMatchObject({ id: 'ds-1' });
  });

  it('are taken that a private authority has signed, if the bundle names the authority', async () => {
    const gateway = await server(answerAll, { tls: internalCertificate });
    const client = clientOf(gateway.baseUrl, { caBundle: `${loopbackCertificate.cert}${privateAuthority}` });

    expect(await client.createDataset({ name: 'n' })).toMatchObject({ id: 'ds-1' });
  });

  it.each([
    ['of an unnamed private authority', internalCertificate, undefined],
    ['of another authority than the named one, public or not', loopbackCertificate, privateAuthority],
    ['self-signed', loopbackCertificate, undefined],
    ['of another host', elsewhereCertificate, elsewhereCertificate.cert],
  ])('that are %s are never taken: nothing is sent, nothing repeated', async (_name, tls, caBundle) => {
    const gateway = await server(answerAll, { tls });
    const client = clientOf(gateway.baseUrl, caBundle === undefined ? {} : { caBundle });

    const errors = [
      await thrownBy(() => client.createDataset({ name: 'n' })),
      await thrownBy(() => client.listEndpoints()),
    ];

    for (const error of errors) {
      expect(error).toBeInstanceOf(CertificateError);
      expect(error).toMatchObject({ requestSent: false });
      expect(classifyFailure('post', error)).toMatchObject({ applied: 'no', next: 'later', closesGate: true });
    }
    expect(gateway.requests).toHaveLength(0);
  });
});
