/** `GET /v1/generation` after a call: by the id that each response has, whatever id its provider gave it. */
import { BatchSite } from '../support/batch-site.js';

let batches: BatchSite;

beforeAll(async () => {
  batches = await BatchSite.open();
});
afterAll(() => batches.close());

it('finds a call by the x-request-id of its response, and says so for the id of its provider', async () => {
  const { site } = batches;
  const headers = { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' };
  const response = await fetch(`${site.server.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
  });
  const { id: ofProvider } = (await response.json()) as { id: string };
  const generation = async (id: string) => {
    const found = await fetch(`${site.server.url}/v1/generation?id=${id}`, { headers });
    return { status: found.status, body: (await found.json()) as unknown };
  };
  const id = response.headers.get('x-request-id') ?? '';
  const quota = (await site.chargedRows(1))[0]?.quota ?? 0;
  expect(quota).toBeGreaterThan(0);
  const call = { id, model: 'gpt-4o', total_cost: quota / 500_000, tokens_prompt: 10, tokens_completion: 2 };
  expect(await generation(id)).toMatchObject({ status: 200, body: { data: call } });
  expect(await generation(`chatcmpl-${id}`)).toMatchObject({ status: 200, body: { data: { model: 'gpt-4o' } } });
  expect(await generation(ofProvider)).toMatchObject({
    status: 404,
    body: { error: { message: expect.stringContaining('x-request-id') as unknown } },
  });
});
