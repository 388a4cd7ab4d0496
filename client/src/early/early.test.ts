import type * as Questions from '../lib/earlyQuestions.js';
import { toStoredUser } from '../lib/session.wire.js';
import { writeJson, writeText } from '../lib/storage.js';

const user = { id: 7, username: 'ada', displayName: 'Ada', role: 10, status: 1, group: 'default' };
const asked = jest.fn<Promise<Response>, [string, RequestInit]>();

/** As the page runs it at an address, with everything it keeps. */
async function load(path: string): Promise<typeof Questions> {
  jest.resetModules();
  history.replaceState(null, '', path);
  const kept = await import('../lib/earlyQuestions.js');
  await import('./early.js');
  return kept;
}

const bodies = () => asked.mock.calls.map(([, { body }]) => JSON.parse(body as string) as Record<string, unknown>);
const answer = (text: string) => Promise.resolve({ text } as unknown as Response);

beforeEach(() => {
  localStorage.clear();
  writeJson('user', toStoredUser(user));
  asked.mockReset().mockImplementation(() => answer('early'));
  Object.assign(globalThis, {
    fetch: asked,
    earlyQueries: new Proxy({}, { get: (_, name) => `query ${String(name)}` }),
  });
});

describe('the questions of a list', () => {
  it('are asked as an admin sees the log, with what the address says', async () => {
    writeText('page-size', '50');
    await load('/log?page=3&sort=createdAt:asc&modelName=gpt-4o&from=1750000000&to=1750003600');
    const filter = {
      ...{ from: '2025-06-15T15:06:40.000Z', to: '2025-06-15T16:06:40.000Z', type: null, tokenName: null },
      ...{ modelName: 'gpt-4o', group: null, username: null, channelId: null },
    };
    const sort = { field: 'createdAt', direction: 'ASC' };
    expect(bodies()).toEqual([
      { operationName: 'Logs', variables: { page: 2, pageSize: 50, sort, filter }, query: 'query Logs' },
      { operationName: 'LogStat', variables: { filter }, query: 'query LogStat' },
      { operationName: 'LogGroups', variables: {}, query: 'query LogGroups' },
    ]);
    expect(asked.mock.calls[0]).toMatchObject(['/graphql', { headers: { 'Veloera-User': '7' } }]);
  });

  it('are those of the own log for everybody else', async () => {
    writeJson('user', toStoredUser({ ...user, role: 1 }));
    await load('/log');
    expect(bodies().map(({ operationName }) => operationName)).toEqual(['MyLogs', 'MyLogStat', 'LogMyGroups']);
  });

  it('are those of the channels, in the order that was chosen', async () => {
    writeText('id-sort', 'true');
    await load('/channel?keyword=azure');
    expect(bodies()[0]).toMatchObject({
      operationName: 'Channels',
      variables: { page: 0, pageSize: 10, sort: { field: 'id', direction: 'DESC' }, filter: { keyword: 'azure' } },
    });
  });

  it.each(['/', '/token', '/log/', '/channel?tags=1', '/channel/edit/3'])('are not asked at %s', async (path) => {
    await load(path);
    expect(asked).not.toHaveBeenCalled();
  });

  it('are not asked for visitors, nor for the channels of one who may not see them', async () => {
    writeJson('user', toStoredUser({ ...user, role: 1 }));
    await load('/channel');
    localStorage.clear();
    await load('/log');
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('an answer that is under way', () => {
  const rows = (changed: object = {}) => {
    const body = bodies()[0] as { variables: object };
    return { method: 'POST', body: JSON.stringify({ ...body, extensions: {}, ...changed }) };
  };

  it('is taken by whoever asks the same, once', async () => {
    const { fetchAnswer } = await load('/log');
    expect(await fetchAnswer('/graphql', rows())).toEqual({ text: 'early' });
    expect(asked).toHaveBeenCalledTimes(3);
    asked.mockImplementation(() => answer('asked anew'));
    expect(await fetchAnswer('/graphql', rows())).toEqual({ text: 'asked anew' });
  });

  it('is not taken by whoever asks something else', async () => {
    const { fetchAnswer } = await load('/log');
    asked.mockImplementation(() => answer('asked anew'));
    expect(await fetchAnswer('/graphql', rows({ variables: { page: 1 } }))).toEqual({ text: 'asked anew' });
    expect(await fetchAnswer('/graphql', rows({ operationName: 'Other' }))).toEqual({ text: 'asked anew' });
    expect(await fetchAnswer('/graphql', rows())).toEqual({ text: 'early' });
  });

  it('is asked for again where the first try got none', async () => {
    asked.mockImplementationOnce(() => Promise.reject(new TypeError('no network')));
    const { fetchAnswer } = await load('/log');
    expect(await fetchAnswer('/graphql', rows())).toEqual({ text: 'early' });
    expect(asked).toHaveBeenCalledTimes(4);
  });

  it('is old after half a minute, and so is its moment', async () => {
    const { fetchAnswer, momentOfQuestions } = await load('/log');
    const later = Date.now() + 30_001;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    const first = momentOfQuestions();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(momentOfQuestions().getTime()).toBeGreaterThan(first.getTime());
    asked.mockImplementation(() => answer('asked anew'));
    expect(await fetchAnswer('/graphql', rows())).toEqual({ text: 'asked anew' });
    jest.restoreAllMocks();
  });

  it('says the moment it counts as asked at until it is taken', async () => {
    const { fetchAnswer, momentOfQuestions } = await load('/log');
    const first = momentOfQuestions();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(momentOfQuestions()).toBe(first);
    for (const body of bodies()) await fetchAnswer('/graphql', { body: JSON.stringify(body) });
    expect(momentOfQuestions().getTime()).toBeGreaterThan(first.getTime());
  });
});
