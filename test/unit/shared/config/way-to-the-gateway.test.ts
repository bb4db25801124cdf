import { describe, expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import { expiredCertificate } from '../../../faults/bench/expired-certificate.ts';
import {
  internalCertificate,
  loopbackCertificate,
  privateAuthority,
} from '../../../integration/shared/gateway-client/certificates.ts';
import { changed, validDocument } from './document.ts';

/** Resolves a document whose gateway has these settings, beside these files. */
function resolve(
  gateway: object,
  { files = {}, isLocalStage = false, now = '2026-11-20T12:00:00Z' }: Partial<Options> = {},
) {
  const document = changed('gateway', { ...validDocument().gateway, ...gateway });
  return resolveAutomation('prod', document, {
    isLocalStage,
    now: new Date(now),
    readText(path) {
      const text = files[path];
      if (text === undefined) throw new Error(`ENOENT: no such file, open '${path}'`);
      return text;
    },
  });
}

interface Options {
  readonly files: Readonly<Record<string, string>>;
  readonly isLocalStage: boolean;
  readonly now: string;
}

const caBundle = './certs/internal-ca.pem';

function lines(found: readonly { path: string; message: string }[]): string[] {
  return found.map(({ path, message }) => `${path}: ${message}`);
}

/** What is said about a file. */
function told(text: string, now?: string): { problems?: string[]; warnings?: string[] } {
  const result = resolve({ caBundle }, { files: { [caBundle]: text }, ...(now === undefined ? {} : { now }) });
  return result.ok
    ? { warnings: lines(result.warnings).filter((line) => line.startsWith('gateway')) }
    : { problems: lines(result.problems) };
}

describe('the certificates of the authorities', () => {
  test('ship as text, and nothing else of their file does', () => {
    const file = `# of the platform team\n${privateAuthority}\nBag Attributes: none\n${loopbackCertificate.cert}`;

    const result = resolve({ caBundle }, { files: { [caBundle]: file } });

    expect(result.ok && result.automation.gateway.caBundle).toBe(`${privateAuthority}${loopbackCertificate.cert}`);
    expect(told(file).warnings).toEqual([]);
  });

  test.each([
    ['holds the key of the gateway', internalCertificate.key, /holds a private key/],
    ['holds no certificate', 'not a certificate', /holds no certificate in PEM/],
    [
      'holds a broken one',
      `${privateAuthority}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      /certificate 2 of 2 cannot be read/,
    ],
  ])('are refused if their file %s', (_what, text, sentence) => {
    const { problems } = told(text);

    expect(problems).toEqual([expect.stringMatching(sentence)]);
    expect(problems?.[0]).toMatch(/^gateway\.caBundle: /);
  });

  test('are refused if there is no file, among the other problems', () => {
    const result = resolve({ caBundle, baseUrl: 'http://gateway.example.com' });

    expect(result.ok ? [] : result.problems).toEqual([
      { path: 'gateway.baseUrl', message: expect.stringContaining('https://') },
      { path: 'gateway.caBundle', message: expect.stringContaining('ENOENT') },
    ]);
  });

  test('are warned of when they have expired, and a month before, with the date', () => {
    const { cert } = expiredCertificate;

    expect(told(cert).warnings).toEqual([
      'gateway.caBundle: the certificate of CN=test expired has expired on 2025-01-02: what it vouches for is refused.',
    ]);
    expect(told(cert, '2024-12-10T00:00:00Z').warnings).toEqual([
      'gateway.caBundle: the certificate of CN=test expired expires on 2025-01-02.',
    ]);
    expect(told(cert, '2024-11-01T00:00:00Z').warnings).toEqual([]);
  });

  test('are warned of if one is of the gateway itself and vouches for nothing', () => {
    expect(told(internalCertificate.cert).warnings).toEqual([
      'gateway.caBundle: the certificate of CN=test behind a private authority is no authority: it vouches for nothing.',
    ]);
  });
});

describe('the proxy', () => {
  const proxy = 'http://proxy.example.com:3128';

  test('ships as it was written', () => {
    const result = resolve({ proxy });

    expect(result.ok && result.automation.gateway.proxy).toBe(proxy);
  });

  test('is left out if the gateway is on this machine', () => {
    const result = resolve({ proxy, baseUrl: 'http://127.0.0.1:4010' }, { isLocalStage: true });

    expect(result.ok && result.automation.gateway).not.toHaveProperty('proxy');
  });
});

describe('the rules of an account', () => {
  const deployment = {
    vpc: { subnetIds: ['subnet-0a1b2c3d4e5f60718'], securityGroupIds: ['sg-0a1b2c3d4e5f60718'] },
    permissionsBoundary: 'arn:aws:iam::123456789012:policy/team/boundary',
    uploadsBucket: { name: 'team-datasets', keyArn: 'arn:aws:kms:eu-west-1:123456789012:key/mrk-1234abcd' },
    tags: { team: 'ML security', 'cost-centre': '4711' },
  };
  const resolved = (isLocalStage: boolean) => {
    const document = changed('deployment', deployment);
    const result = resolveAutomation('prod', document, { isLocalStage, now: new Date() });
    return result.ok && result.automation.deployment;
  };

  test('ship as they were written', () => {
    expect(resolved(false)).toEqual(deployment);
  });

  test('say nothing to a stage on one machine', () => {
    expect(resolved(true)).toEqual({});
  });
});
