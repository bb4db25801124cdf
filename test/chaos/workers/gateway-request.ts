import { createSecretsManagerClient, createSecretToken } from '#shared/aws/secret-token.ts';

/** Less than the function's 5 s in stage chaos, as it should be. */
const timeoutMs = 2000;

const token = createSecretToken({
  client: createSecretsManagerClient(),
  secretArn: process.env['TOKEN_SECRET_ARN'] ?? '',
});

/**
 * One request to the gateway, as the baselines make it: the token from Secrets Manager, a timeout,
 * no redirects.
 * @throws Error for everything that is not a 2xx with JSON
 */
export async function requestGateway(
  url: string,
  method: 'POST' | 'PATCH',
  body: object | FormData,
): Promise<Readonly<Record<string, unknown>>> {
  const isForm = body instanceof FormData;
  const type = isForm ? undefined : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${await token.get()}`, ...type },
    body: isForm ? body : JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<Readonly<Record<string, unknown>>>;
}
