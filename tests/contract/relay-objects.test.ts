/** Conversations, vector stores, containers and skills, with the SDKs of their makers. */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { startObjectProvider, type ObjectProvider } from '../support/upstream/objects.js';
import type { RelayHarness } from './relay-harness.js';
import { relaySuite } from './relay-suite.js';

let relay: RelayHarness;
let provider: ObjectProvider;
const values = { SelfUseModeEnabled: true, 'files.allowed_paid': ['vector_stores', 'containers'] };
relaySuite((started) => (relay = started), { values });
beforeAll(async () => {
  provider = await startObjectProvider();
});
afterAll(() => provider.stop());
beforeEach(async () => {
  provider.calls.length = 0;
  provider.objects.clear();
  await relay.sql('DELETE FROM provider_objects');
  for (let index = 0; index < 3; index++) {
    await relay.addChannel({ type: 1, key: `sk-a${index},sk-b${index}`, baseUrl: provider.url, models: 'gpt-4o' });
  }
});

type Key = Awaited<ReturnType<RelayHarness['addToken']>>;
const at = ({ key }: Key): OpenAI => new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
const note = (): Promise<File> => toFile(Buffer.from('hello'), 'note.txt', { type: 'text/plain' });
const unknown = expect.objectContaining({ status: 404, code: 'unknown_id' }) as unknown;
const upload = async (key: Key) => at(key).files.create({ file: await note(), purpose: 'user_data' });
const accounts = (): number => new Set(provider.calls.map(({ key }) => key)).size;

it('conversations belong to the key that made them, and are named in Responses', async () => {
  const [ann, bob] = [await relay.addToken(), await relay.addToken()];
  const other = await relay.addToken({ userId: ann.userId });
  const { conversations } = at(ann);
  const made = await conversations.create({ metadata: { topic: 'tea' } });
  expect(await conversations.retrieve(made.id)).toMatchObject({ id: made.id });
  expect(await conversations.update(made.id, { metadata: { topic: 'milk' } })).toMatchObject({
    metadata: { topic: 'milk' },
  });
  await conversations.items.create(made.id, { items: [{ role: 'user', content: 'hi' }] });
  expect((await conversations.items.list(made.id)).data).toEqual([]);
  const ask = (key: Key) => at(key).responses.create({ model: 'gpt-4o', input: 'hi', conversation: made.id });
  expect((await ask(ann)).output_text).toBe('Read.');
  for (const key of [bob, other]) {
    await expect(at(key).conversations.retrieve(made.id)).rejects.toEqual(unknown);
    await expect(at(key).conversations.items.list(made.id)).rejects.toEqual(unknown);
    await expect(ask(key)).rejects.toEqual(unknown);
  }
  const image = { type: 'input_image' as const, file_id: 'file-of-another', detail: 'auto' as const };
  const before = provider.calls.length;
  await expect(conversations.items.create(made.id, { items: [{ role: 'user', content: [image] }] })).rejects.toEqual(
    unknown,
  );
  expect([provider.calls.length, accounts()]).toEqual([before, 1]);
  expect(await conversations.delete(made.id)).toMatchObject({ deleted: true });
  await expect(conversations.retrieve(made.id)).rejects.toEqual(unknown);
});

it('vector stores are made of the user’s files, at their account', async () => {
  const [ann, bob] = [await relay.addToken(), await relay.addToken()];
  const file = await upload(ann);
  const foreign = await upload(bob);
  provider.calls.length = 0;
  const { vectorStores } = at(ann);
  const made = await vectorStores.create({ name: 'books', file_ids: [file.id] });
  await vectorStores.files.create(made.id, { file_id: file.id });
  await vectorStores.fileBatches.create(made.id, { file_ids: [file.id] });
  await vectorStores.search(made.id, { query: 'tea' });
  expect(await vectorStores.files.retrieve(file.id, { vector_store_id: made.id })).toMatchObject({ id: file.id });
  expect((await vectorStores.list()).data).toMatchObject([{ id: made.id, name: 'books' }]);
  expect((await at(bob).vectorStores.list()).data).toEqual([]);
  expect(provider.calls.map(({ call }) => call)).toContain(`POST /v1/vector_stores/${made.id}/search`);
  const before = provider.calls.length;
  for (const refused of [
    vectorStores.create({ file_ids: [foreign.id] }),
    vectorStores.files.create(made.id, { file_id: foreign.id }),
    vectorStores.fileBatches.create(made.id, { file_ids: [file.id, foreign.id] }),
    at(bob).vectorStores.search(made.id, { query: 'tea' }),
  ]) {
    await expect(refused).rejects.toEqual(unknown);
  }
  expect(provider.calls).toHaveLength(before);
  const search = { type: 'file_search' as const, vector_store_ids: [made.id] };
  await expect(at(bob).responses.create({ model: 'gpt-4o', input: 'hi', tools: [search] })).rejects.toEqual(unknown);
  expect(accounts()).toBe(1);
});

it('a field that is named twice cannot hide a file of another user', async () => {
  const [ann, bob] = [await relay.addToken(), await relay.addToken()];
  const [own, foreign] = [(await upload(ann)).id, (await upload(bob)).id];
  const before = provider.calls.length;
  const response = await fetch(`${relay.url}/v1/vector_stores`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.key}`, 'content-type': 'application/json' },
    // Some providers read the first of the two.
    body: `{"file_ids":["${foreign}"],"file_ids":["${own}"]}`,
  });
  expect([response.status, provider.calls.length]).toEqual([400, before]);
});

it('containers take files as forms and by id, and only those of the user', async () => {
  const [ann, bob] = [await relay.addToken(), await relay.addToken()];
  const file = await upload(ann);
  const foreign = await upload(bob);
  const { containers } = at(ann);
  const made = await containers.create({ name: 'box', file_ids: [file.id] });
  await containers.files.create(made.id, { file: await note() });
  await containers.files.create(made.id, { file_id: file.id });
  await expect(containers.files.create(made.id, { file_id: foreign.id })).rejects.toEqual(unknown);
  const form = new FormData();
  form.set('file_id', foreign.id);
  expect((await relay.postForm(`/v1/containers/${made.id}/files`, ann.key, form)).status).toBe(404);
  await expect(at(bob).containers.retrieve(made.id)).rejects.toEqual(unknown);
  await containers.delete(made.id);
  expect((await containers.list()).data).toEqual([]);
});

it('objects that providers charge for are refused while the site does not allow them', async () => {
  relay.setOptions({ SelfUseModeEnabled: true });
  const ann = await relay.addToken();
  const refusal = expect.objectContaining({ status: 403, code: 'object_not_offered' }) as unknown;
  await expect(at(ann).vectorStores.create({})).rejects.toEqual(refusal);
  await expect(at(ann).containers.create({ name: 'box' })).rejects.toEqual(refusal);
  expect(provider.calls).toEqual([]);
});

it('skills of both makers have one path', async () => {
  await relay.addChannel({ type: 14, key: 'sk-claude', baseUrl: provider.url, models: 'claude-sonnet-4-5' });
  const [ann, bob] = [await relay.addToken(), await relay.addToken()];
  const { skills } = new Anthropic({ apiKey: ann.key, baseURL: relay.url, maxRetries: 0 }).beta;
  const made = await skills.create({ files: [await note()] });
  expect(provider.calls.at(-1)).toMatchObject({ call: 'POST /v1/skills', key: 'sk-claude' });
  expect(await skills.retrieve(made.id)).toMatchObject({ id: made.id });
  expect((await skills.list()).data).toMatchObject([{ id: made.id }]);
  await skills.versions.list(made.id);
  const theirs = new Anthropic({ apiKey: bob.key, baseURL: relay.url, maxRetries: 0 }).beta.skills;
  await expect(theirs.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
  await skills.delete(made.id);
  const form = new FormData();
  form.set('files[]', await note());
  const response = await relay.postForm('/v1/skills', ann.key, form);
  expect([response.status, provider.calls.at(-1)?.key]).toEqual([200, expect.stringMatching(/^sk-[ab]\d$/)]);
});

it.each(['../files', 'none%2F..%2F..%2Fmodels', '%2e%2e'])(
  'a path that is not normalized is refused: %s',
  async (id) => {
    const ann = await relay.addToken();
    const response = await fetch(`${relay.url}/v1/conversations/${id}/items`, {
      headers: { authorization: `Bearer ${ann.key}` },
    });
    expect([400, 404]).toContain(response.status);
    expect(provider.calls).toEqual([]);
  },
);
