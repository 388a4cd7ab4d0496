import { createLogger } from '../../platform/observability/logger.js';
import { Secrets } from '../../shared/secrets.js';
import { StoredResponses, type StoredResponse } from './stored-responses.js';

const itemId = 'msg_20261121120000123456789abcdefgh_0';
const stored: StoredResponse = {
  channelId: 1,
  keyMark: 'mark',
  own: { response: { id: 'resp_1' }, items: [{ type: 'message', id: itemId, role: 'assistant', content: 'Hello' }] },
};

const responsesOn = (state: ConstructorParameters<typeof StoredResponses>[0]): StoredResponses =>
  new StoredResponses(state, new Secrets('encryption key of a test'), createLogger('silent'), 3600);

it('finds a response by its id and by an item while it is being written', async () => {
  const never = new Promise<never>(() => undefined);
  const responses = responsesOn({ get: () => Promise.resolve(null), set: () => never, delete: () => never });
  responses.keep(7, 'resp_1', stored);
  expect(await responses.find(7, 'resp_1')).toEqual(stored);
  expect(await responses.findByItem(7, itemId)).toEqual(stored);
  expect(await responses.findByItem(8, itemId)).toBeNull();
});

it('does not store a response that is removed while it is being written', async () => {
  const written = new Map<string, string>();
  const responses = responsesOn({
    get: (name) => Promise.resolve(written.get(name) ?? null),
    set: async (name, value) => void written.set(name, value),
    delete: async (name) => void written.delete(name),
  });
  responses.keep(7, 'resp_1', stored);
  expect(await responses.remove(7, 'resp_1')).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await responses.find(7, 'resp_1')).toBeNull();
});
