import { TaskSite } from '../support/task-site.js';

/** Tests of the lists of drawings and of creative tasks, over REST and GraphQL, with every filter. */

type Item = Readonly<Record<string, unknown>>;

let site: TaskSite;
let stranger: TaskSite['user'];
/** Unix milliseconds of the first row. Each further row is a minute later. */
const first = 1_780_000_000_000;
const minute = 60_000;

beforeAll(async () => {
  site = await TaskSite.open({ UPDATE_TASK: 'false' });
  stranger = (await site.addCustomer('stranger')).user;
  // Each kind has twenty-four rows, and every third row belongs to another user. The result of a filter can be counted by
  // hand.
  for (let index = 0; index < 24; index++) {
    const at = first + index * minute;
    const userId = index % 3 === 0 ? stranger.id : site.user.id;
    const status = index % 2 === 0 ? 'SUCCESS' : 'FAILURE';
    await site.rows(
      `INSERT INTO midjourneys (user_id, action, mj_id, prompt, submit_time, finish_time, image_url, status, progress, channel_id,
                                request_id, quota, code)
       VALUES ($1, $2, $3, 'p', $4, $5, $6, $7, 100, $8, $9, 0, 1)`,
      [
        ...[userId, index < 12 ? 'IMAGINE' : 'UPSCALE', `m${index}`, new Date(at), new Date(at + index * 1000)],
        ...[index === 0 ? '' : 'https://images.example/1.png', status, index < 6 ? 101 : 102, `mj-${index}`],
      ],
    );
    await site.rows(
      `INSERT INTO tasks (user_id, platform, action, task_id, created_at, updated_at, submit_time, finish_time, status, progress,
                          channel_id, request_id, quota, properties, data)
       VALUES ($1, $2, $3, $4, $5, $5, $5, $6, $7, 100, $8, $9, 0, '{"input":"words"}', '[{"clip":1}]')`,
      [
        ...[userId, index === 23 ? 'other' : 'suno', index < 12 ? 'MUSIC' : 'LYRICS', `t${index}`, new Date(at)],
        ...[new Date(at + index * 1000), status, index < 6 ? 101 : 102, `task-${index}`],
      ],
    );
  }
});
afterAll(() => site.close());

const names = (rows: readonly Item[], name: string): unknown[] => rows.map((row) => row[name]);
/** Returns names in the order of the lists, newest first. */
const named = (prefix: string, keep: (index: number) => boolean): string[] =>
  Array.from({ length: 24 }, (_, index) => 23 - index)
    .filter(keep)
    .map((index) => `${prefix}${index}`);
const at = (index: number): number => first + index * minute;

const isMine = (index: number): boolean => index % 3 !== 0;
const exact = [
  ['nothing', {}, () => true],
  ['a channel', { channel_id: '101' }, (index: number) => index < 6],
  ['a time from', { start: at(20) }, (index: number) => index >= 20],
  ['a time to', { end: at(3) }, (index: number) => index <= 3],
  ['both', { start: at(5), end: at(7) }, (index: number) => index >= 5 && index <= 7],
  ['a time with nothing in it', { start: at(5) + 1000, end: at(6) - 1000 }, () => false],
  ['a name', { name: '7' }, (index: number) => index === 7],
  ['a name nobody has', { name: '77' }, () => false],
  ['garbage for numbers', { channel_id: "1' OR 1=1--", start: 'soon', end: 'NaN' }, () => true],
] as const;

interface Asked {
  readonly channel_id?: string;
  readonly start?: number | string;
  readonly end?: number | string;
  readonly name?: string;
  readonly more?: Readonly<Record<string, string>>;
}

describe.each([
  { path: '/api/mj', nameField: 'mj_id', prefix: 'm', unit: 1 },
  { path: '/api/task', nameField: 'task_id', prefix: 't', unit: 1000 },
])('$path', ({ path, nameField, prefix, unit }) => {
  const inUnit = (time: number | string): string => String(typeof time === 'number' ? time / unit : time);
  const query = ({ channel_id, start, end, name, more }: Asked, page: number): string =>
    new URLSearchParams({
      p: String(page),
      ...(channel_id === undefined ? {} : { channel_id }),
      ...(start === undefined ? {} : { start_timestamp: inUnit(start) }),
      ...(end === undefined ? {} : { end_timestamp: inUnit(end) }),
      ...(name === undefined ? {} : { [nameField]: prefix + name }),
      ...more,
    }).toString();

  /** Reads all pages. */
  async function all(who: TaskSite['user'], where: string, asked: Asked): Promise<Item[]> {
    const rows: Item[] = [];
    for (let page = 0; ; page++) {
      const some = await site.server.api.data<Item[]>(who, 'GET', `${where}?${query(asked, page)}`);
      rows.push(...some);
      expect(some.length).toBeLessThanOrEqual(10);
      if (some.length < 10) return rows;
    }
  }

  it.each(exact)('admins filter by %s', async (_what, asked, keep) => {
    expect(names(await all(site.root, path, asked), nameField)).toEqual(named(prefix, keep));
    expect(names(await all(site.root, `${path}/`, asked), nameField)).toEqual(named(prefix, keep));
  });

  it.each(exact)('users see their own, by %s; channels are no business of theirs', async (_what, asked, keep) => {
    const expected = named(prefix, (index) => isMine(index) && ('channel_id' in asked || keep(index)));
    expect(names(await all(site.user, `${path}/self`, asked), nameField)).toEqual(expected);
    expect(await all(site.root, `${path}/self`, asked)).toEqual([]);
  });

  it('nobody else sees everybody’s', async () => {
    const asUser = await site.server.api.rest(site.user, 'GET', `${path}/?p=0`);
    expect(asUser.body).toMatchObject({ success: false });
    const asNobody = await site.server.api.rest(null, 'GET', `${path}/self?p=0`);
    expect(asNobody.status).toBe(401);
  });
});

it.each([
  ['platform', 'other', (index: number) => index === 23],
  ['status', 'FAILURE', (index: number) => index % 2 === 1],
  ['action', 'LYRICS', (index: number) => index >= 12],
])('/api/task filters by %s as well', async (field, value, keep) => {
  const mine = await site.server.api.data<Item[]>(site.user, 'GET', `/api/task/self?${field}=${value}&p=0`);
  expect(names(mine, 'task_id')).toEqual(named('t', (index) => isMine(index) && keep(index)).slice(0, 10));
  const all = await site.server.api.data<Item[]>(site.root, 'GET', `/api/task/?${field}=${value}&p=0`);
  expect(names(all, 'task_id')).toEqual(named('t', keep).slice(0, 10));
});

it('rows have exactly the documented fields', async () => {
  const [drawing] = await site.server.api.data<Item[]>(site.root, 'GET', '/api/mj/?mj_id=m5');
  expect(drawing).toEqual({
    id: expect.any(Number) as unknown,
    code: 1,
    user_id: site.user.id,
    action: 'IMAGINE',
    mj_id: 'm5',
    prompt: 'p',
    prompt_en: '',
    description: '',
    state: '',
    submit_time: at(5),
    start_time: 0,
    finish_time: at(5) + 5000,
    created_at: at(5) / 1000,
    image_url: expect.stringContaining('/mj/image/m5?key=') as unknown,
    status: 'FAILURE',
    progress: '100%',
    fail_reason: '',
    channel_id: 101,
    quota: 0,
    buttons: '',
    properties: '',
  });
  const [ownDrawing] = await site.server.api.data<Item[]>(site.user, 'GET', '/api/mj/self?mj_id=m5');
  expect(ownDrawing).toEqual({ ...drawing, channel_id: 0, image_url: expect.any(String) as unknown });
  // Without an image there is no link.
  const [none] = await site.server.api.data<Item[]>(site.root, 'GET', '/api/mj/?mj_id=m0');
  expect(none?.image_url).toBe('');
  const [task] = await site.server.api.data<Item[]>(site.root, 'GET', '/api/task/?task_id=t5');
  const seconds = at(5) / 1000;
  expect(task).toEqual({
    id: expect.any(Number) as unknown,
    created_at: seconds,
    updated_at: seconds,
    task_id: 't5',
    platform: 'suno',
    user_id: site.user.id,
    channel_id: 101,
    quota: 0,
    action: 'MUSIC',
    status: 'FAILURE',
    fail_reason: '',
    submit_time: seconds,
    start_time: 0,
    finish_time: seconds + 5,
    progress: '100%',
    properties: { input: 'words' },
    data: [{ clip: 1 }],
  });
  const [own] = await site.server.api.data<Item[]>(site.user, 'GET', '/api/task/self?task_id=t5');
  expect(own).toEqual({ ...task, channel_id: 0 });
});

describe.each([
  ['drawings', 'myDrawings', 'DrawingFilter', 'm'],
  ['creativeTasks', 'myCreativeTasks', 'CreativeTaskFilter', 't'],
] as const)('%s and %s', (all, own, type, prefix) => {
  interface Listed {
    readonly totalCount: number;
    readonly items: Item[];
    readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
  }
  const read = async (who: TaskSite['user'], field: string, args: string, filter: Item): Promise<Listed> => {
    const { data, errors } = await site.server.api.graphql(
      who,
      `query ($filter: ${field === own ? 'Own' : ''}${type}) {
         list: ${field}(filter: $filter, ${args}) { totalCount items { taskId } pageInfo { endCursor hasNextPage } }
       }`,
      { filter },
    );
    expect(errors).toEqual([]);
    return data?.list as Listed;
  };
  const list = async (who: TaskSite['user'], field: string, filter: Item, more = ''): Promise<unknown[]> => {
    const page = await read(who, field, `pageSize: 100 ${more}`, filter);
    expect(page.totalCount).toBe(page.items.length);
    return names(page.items, 'taskId');
  };
  const time = (index: number): string => new Date(at(index)).toISOString();

  it.each<[string, () => Item, (index: number) => boolean]>([
    ['nothing', () => ({}), () => true],
    ['ids of the provider', () => ({ taskIds: [`${prefix}7`, `${prefix}8`] }), (index) => index === 7 || index === 8],
    ['status', () => ({ statuses: ['FAILURE'] }), (index) => index % 2 === 1],
    ['several statuses', () => ({ statuses: ['FAILURE', 'SUCCESS', 'QUEUED'] }), () => true],
    ['a status that no row has', () => ({ statuses: ['UNKNOWN', 'NOT_STARTED'] }), () => false],
    ['an empty list', () => ({ statuses: [] }), () => false],
    ['action', () => ({ actions: [prefix === 'm' ? 'UPSCALE' : 'LYRICS'] }), (index) => index >= 12],
    ['time', () => ({ submitted: { from: time(5), until: time(7) } }), (index) => index === 5 || index === 6],
    ['nulls', () => ({ taskIds: null, statuses: null, submitted: null }), () => true],
    [
      'several',
      () => ({ statuses: ['SUCCESS'], submitted: { from: time(20) } }),
      (index) => index >= 20 && index % 2 === 0,
    ],
  ])('filter by %s', async (_what, filter, keep) => {
    expect(await list(site.root, all, filter())).toEqual(named(prefix, keep));
    expect(await list(site.user, own, filter())).toEqual(named(prefix, (index) => isMine(index) && keep(index)));
  });

  it('let admins filter by channels and users, and nobody else', async () => {
    expect(await list(site.root, all, { channelIds: [101] })).toEqual(named(prefix, (index) => index < 6));
    const both = await list(site.root, all, { channelIds: [101, 102], userIds: [stranger.id] });
    expect(both).toEqual(named(prefix, (index) => !isMine(index)));
    for (const filter of [{ channelIds: [101] }, { userIds: [stranger.id] }]) {
      const { errors } = await site.server.api.graphql(
        site.user,
        `query ($filter: Own${type}) { ${own}(filter: $filter) { totalCount } }`,
        { filter },
      );
      expect(errors[0]?.message).toContain('is not defined by type');
    }
  });

  it('are sorted and paged', async () => {
    const ascending = ', sort: [{ field: SUBMITTED_AT, direction: ASC }]';
    expect(await list(site.root, all, {}, ascending)).toEqual(named(prefix, () => true).reverse());
    const page = await read(site.root, all, 'page: 1, pageSize: 5', {});
    expect(page).toMatchObject({ totalCount: 24, pageInfo: { hasNextPage: true } });
    expect(names(page.items, 'taskId')).toEqual(named(prefix, (index) => index <= 18 && index >= 14));
    const byChannel = await site.server.api.graphql(
      site.user,
      `{ ${own}(sort: [{ field: CHANNEL_ID }]) { totalCount } }`,
    );
    expect(byChannel.errors[0]?.extensions?.code).toBe('INVALID_INPUT');
  });

  it('are read on by cursor, also in an order of which rows have no value', async () => {
    await site.rows(`UPDATE ${prefix === 'm' ? 'midjourneys' : 'tasks'} SET finish_time = NULL WHERE id % 4 = 0`);
    const whole = await list(site.root, all, {}, ', sort: [{ field: FINISHED_AT, direction: ASC }]');
    const rows: unknown[] = [];
    for (let after: string | null = null, more = true; more;) {
      const args = `pageSize: 5, sort: [{ field: FINISHED_AT, direction: ASC }], after: ${JSON.stringify(after)}`;
      const page: Listed = await read(site.root, all, args, {});
      rows.push(...names(page.items, 'taskId'));
      ({ endCursor: after, hasNextPage: more } = page.pageInfo);
    }
    expect(rows).toEqual(whole);
    expect(new Set(rows).size).toBe(24);
  });

  it('have typed fields, and null where there is nothing', async () => {
    const table = prefix === 'm' ? 'midjourneys' : 'tasks';
    const extra = prefix === 'm' ? 'submission prompt promptEn description imageUrl' : 'platform input data';
    const ask = async (who: TaskSite['user'], field: string): Promise<Item | undefined> => {
      const { data, errors } = await site.server.api.graphql(
        who,
        `{ list: ${field}(filter: { taskIds: ["${prefix}5"] }) {
             items { status action progress failReason submittedAt startedAt finishedAt quota ${extra}
               ${field === all ? 'channelId' : ''} }
           } }`,
      );
      expect(errors).toEqual([]);
      return (data?.list as Listed).items[0];
    };
    await site.rows(
      `UPDATE ${table} SET status = 'SOMETHING_NEW', action = 'DREAM', progress = 37, finish_time = NULL
       WHERE request_id = $1`,
      [prefix === 'm' ? 'mj-5' : 'task-5'],
    );
    expect(await ask(site.root, all)).toEqual({
      status: 'UNKNOWN',
      action: 'UNKNOWN',
      progress: 37,
      failReason: null,
      quota: 0,
      channelId: 101,
      submittedAt: time(5),
      startedAt: null,
      finishedAt: null,
      ...(prefix === 'm'
        ? {
            submission: 'ACCEPTED',
            prompt: 'p',
            promptEn: null,
            description: null,
            imageUrl: expect.stringContaining('/mj/image/m5?key=') as unknown,
          }
        : { platform: 'suno', input: 'words', data: [{ clip: 1 }] }),
    });
    expect(await list(site.root, all, { statuses: ['UNKNOWN'] })).toEqual([`${prefix}5`]);
    expect(await list(site.root, all, { actions: ['UNKNOWN'] })).toEqual([`${prefix}5`]);
    await site.rows(`UPDATE ${table} SET status = '' WHERE request_id = $1`, [prefix === 'm' ? 'mj-5' : 'task-5']);
    expect(await ask(site.user, own)).toMatchObject({ status: 'NOT_STARTED' });
    expect(await list(site.user, own, { statuses: ['NOT_STARTED'] })).toEqual([`${prefix}5`]);
  });

  it('are not for everyone, and channels are for admins', async () => {
    const { errors } = await site.server.api.graphql(site.user, `{ ${all} { totalCount } }`);
    expect(errors[0]?.extensions?.code).toBe('INSUFFICIENT_PRIVILEGES');
    const anonymous = await site.server.api.graphql(null, `{ ${own} { totalCount } }`);
    expect(anonymous.errors[0]?.extensions?.code).toBe('NOT_SIGNED_IN');
    const channel = await site.server.api.graphql(site.user, `{ ${own}(pageSize: 1) { items { channelId } } }`);
    expect(channel.errors[0]?.extensions?.code).toBe('INSUFFICIENT_PRIVILEGES');
    expect(channel.data?.[own]).toEqual({ items: [{ channelId: null }] });
  });
});
