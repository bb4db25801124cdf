import { createHash } from 'node:crypto';
import type { ResolvedAssembly } from '../template/assembly.ts';
import { resourcesOfType } from '../template/assembly.ts';

/** Puts the gateway's token into the stage's secret, as an operator does after a deployment; the same token again changes nothing. */
export async function putToken(assembly: ResolvedAssembly, endpoint: string, token: string): Promise<void> {
  const [secret] = resourcesOfType(assembly, 'AWS::SecretsManager::Secret');
  if (secret === undefined) return;
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'secretsmanager.PutSecretValue',
      // A key that the authority did not hand out: the developer's own.
      authorization: `AWS4-HMAC-SHA256 Credential=developer/20260101/${assembly.region}/secretsmanager/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify({
      SecretId: secret.physicalId,
      SecretString: token,
      // The same token is the same version.
      ClientRequestToken: createHash('sha256').update(token).digest('hex'),
    }),
  });
  if (!answer.ok) throw new Error(`the token could not be put into ${secret.physicalId}: ${answer.status}`);
}
