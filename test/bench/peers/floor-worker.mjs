/**
 * The least that a worker can be: its token in an environment variable, one PATCH by Node's own
 * client, nothing checked. It is not for deploying.
 */
export async function handler(event) {
  const { request } = process.getBuiltinModule('node:http');
  for (const { body } of event.Records) {
    const { campaignRunId, action } = JSON.parse(body);
    const text = JSON.stringify({ status: action === 'stop' ? 'stopped' : 'running' });
    await new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${process.env.GATEWAY_TOKEN}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      };
      const url = `${process.env.GATEWAY_URL}/backend/v1/campaign-runs/${campaignRunId}`;
      const sent = request(url, { method: 'PATCH', headers }, (response) => {
        response.resume();
        response.on('end', resolve);
      });
      sent.on('error', reject);
      sent.end(text);
    });
  }
  return { batchItemFailures: [] };
}
