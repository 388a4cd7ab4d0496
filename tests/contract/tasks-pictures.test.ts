import { eventually, TaskSite } from '../support/task-site.js';
import { json } from '../support/upstream/replies.js';
import type { Reply } from '../support/upstream/upstream.js';

/** Tests of the images of drawings behind signed links, and of the options that apply to drawings. */

let site: TaskSite;

beforeAll(async () => {
  site = await TaskSite.open();
  await site.setOption('ServerAddress', site.server.url);
});
afterAll(async () => {
  expect(await site.drift()).toEqual([]);
  await site.close();
});
beforeEach(() => site.script());

const fetchTask = async (id: string): Promise<Record<string, unknown>> =>
  (await site.call('GET', `/mj/task/${id}/fetch`)).body;

/**
 * Creates a finished drawing whose image has this URL.
 * @returns its id
 */
async function drawn(imageUrl: string, status = 'SUCCESS'): Promise<string> {
  const { body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'a cat' });
  const id = body.result as string;
  site.tasks.reported.set(id, { status, progress: status === 'SUCCESS' ? '100%' : '10%', imageUrl });
  await eventually(
    () => fetchTask(id),
    (task) => task.imageUrl !== '',
  );
  return id;
}

const picture =
  (type: string, body: Buffer, status = 200): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);
const png = Buffer.from('89504e470d0a1a0a', 'hex');

async function shown(id: string): Promise<{ status: number; type: string | null; body: Buffer; headers: Headers }> {
  const response = await fetch((await fetchTask(id)).imageUrl as string);
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, type: response.headers.get('content-type'), body, headers: response.headers };
}

it.each(['', '/mj-fast', '/anything'])('is shown under %s/mj/image, and runs nothing', async (prefix) => {
  site.upstream.script({ path: '/picture' }, picture('image/png', png));
  const id = await drawn(`${site.upstream.url}/picture`);
  const link = new URL((await fetchTask(id)).imageUrl as string);
  const response = await fetch(`${link.origin}${prefix}${link.pathname}${link.search}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(png);
  expect(response.headers.get('content-security-policy')).toContain('sandbox');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  // The provider learns nothing about the viewer.
  const asked = site.upstream.requests.findLast(({ path }) => path === '/picture');
  expect(asked?.headers).not.toHaveProperty('authorization');
  expect(asked?.headers).not.toHaveProperty('mj-api-secret');
  expect(asked?.headers).not.toHaveProperty('cookie');
});

it.each<[string, Reply, number]>([
  ['is gone', picture('text/plain', Buffer.from('no'), 404), 404],
  ['is no picture', picture('text/html', Buffer.from('<script>alert(1)</script>')), 502],
  ['breaks off', (response) => void response.destroy(), 500],
  ['is larger than 20 MB', picture('image/png', Buffer.alloc(20 * 1024 * 1024 + 1)), 500],
  [
    'leads to an address that nobody may call',
    (response) => void response.writeHead(302, { location: 'http://169.254.169.254/x.png' }).end(),
    500,
  ],
  ['leads in circles', (response) => void response.writeHead(302, { location: '/picture' }).end(), 500],
])('that %s is an error', async (_what, reply, status) => {
  site.upstream.script({ path: '/picture' }, reply);
  const id = await drawn(`${site.upstream.url}/picture`);
  const answer = await shown(id);
  expect(answer.status).toBe(status);
  expect(answer.body.toString()).not.toContain('script');
  expect(JSON.parse(answer.body.toString())).toHaveProperty('error');
});

it.each([
  'http://10.0.0.1/x.png',
  'http://[::1]/x.png',
  'http://169.254.169.254/latest/meta-data',
  'http://localhost:1/x.png',
  'file:///etc/passwd',
  'not an address',
])('at %s is never asked for', async (address) => {
  const id = await drawn(address);
  const answer = await shown(id);
  expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([500, { error: 'http_get_image_failed' }]);
});

it('is shown by its own link alone', async () => {
  site.upstream.script({ path: '/picture' }, picture('image/png', png));
  const [one, other] = [await drawn(`${site.upstream.url}/picture`), await drawn(`${site.upstream.url}/picture`)];
  const link = new URL((await fetchTask(one)).imageUrl as string);
  const wrong = `${link.origin}/mj/image/${other}${link.search}`;
  expect((await fetch(wrong)).status).toBe(400);
  const key = link.searchParams.get('key') ?? '';
  for (const bad of [key.slice(0, -1), `${key}a`, key.replace(/^\d+/, '1'), key.toUpperCase()]) {
    expect((await fetch(`${link.origin}${link.pathname}?key=${bad}`)).status).toBe(400);
  }
  expect((await fetch(link)).status).toBe(200);
});

it('a link of an unfinished drawing changes, and one of a finished one does not', async () => {
  const half = await drawn('https://images.example/half.png', 'IN_PROGRESS');
  const links = new Set<unknown>();
  for (let count = 0; count < 3; count++) {
    links.add((await fetchTask(half)).imageUrl);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  expect(links.size).toBe(3);
  const whole = await drawn('https://images.example/whole.png');
  expect((await fetchTask(whole)).imageUrl).toBe((await fetchTask(whole)).imageUrl);
});

describe('options', () => {
  const optionally = async (key: string, value: string, usual: string, act: () => Promise<void>): Promise<void> => {
    await site.setOption(key, value);
    await act().finally(() => site.setOption(key, usual));
  };

  it('MjForwardUrlEnabled off shows the provider’s own address, everywhere', async () => {
    const id = await drawn('https://images.example/own.png');
    await optionally('MjForwardUrlEnabled', 'false', 'true', async () => {
      expect((await fetchTask(id)).imageUrl).toBe('https://images.example/own.png');
      const [row] = await site.server.api.data<Array<Record<string, unknown>>>(
        site.user,
        'GET',
        `/api/mj/self?mj_id=${id}`,
      );
      expect(row?.image_url).toBe('https://images.example/own.png');
    });
    expect((await fetchTask(id)).imageUrl).toContain(`/mj/image/${id}?key=`);
  });

  it('MjActionCheckSuccessEnabled off lets unfinished drawings be gone on from', async () => {
    const { body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'slow' });
    const change = { content: `${body.result as string} u1` };
    const early = await site.call('POST', '/mj/submit/simple-change', change);
    expect(early.body.description).toBe('task_status_not_success');
    // A dialog continues a drawing that waits for it, so an unfinished drawing is accepted.
    const modal = await site.call('POST', '/mj/submit/modal', { taskId: body.result, prompt: 'x' });
    expect(modal.body.code).toBe(1);
    await optionally('MjActionCheckSuccessEnabled', 'false', 'true', async () => {
      expect((await site.call('POST', '/mj/submit/simple-change', change)).body.code).toBe(1);
    });
  });

  it('CheckSensitiveOnPromptEnabled off lets every word through, for songs as for drawings', async () => {
    const song = { prompt: 'la', tags: 'TEST_sensitive' };
    const refused = await site.call('POST', '/suno/submit/music', song);
    expect([refused.status, (refused.body.error as { code: string }).code]).toEqual([400, 'sensitive_words_detected']);
    await optionally('CheckSensitiveOnPromptEnabled', 'false', 'true', async () => {
      expect((await site.call('POST', '/suno/submit/music', song)).body.code).toBe('success');
      expect((await site.call('POST', '/mj/submit/imagine', { prompt: 'test_sensitive' })).body.code).toBe(1);
    });
  });
});

it('callbacks without a channel’s secret have no address at all', async () => {
  await site.setOption('MjNotifyEnabled', 'true');
  const response = await fetch(`${site.server.url}/mj/notify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${site.key}` },
    body: JSON.stringify({ id: 'x', status: 'FAILURE', progress: '100%' }),
  });
  expect(response.headers.get('content-type')).not.toMatch(/json.*"code":1/);
  expect(await response.text()).not.toContain('success');
  await site.setOption('MjNotifyEnabled', 'false');
});

describe('the seed', () => {
  it('is asked of the account that drew, and its refusal is told as it is', async () => {
    const id = await drawn('https://images.example/seed.png');
    site.upstream.script({ path: `/mj/task/${id}/image-seed` }, json({ code: 4, description: 'no seed' }, 409));
    const answer = await site.call('GET', `/mj-relax/mj/task/${id}/image-seed`);
    expect([answer.status, answer.body]).toEqual([409, { code: 4, description: 'no seed' }]);
    const asked = site.upstream.requests.findLast(({ path }) => path.includes('image-seed'));
    expect(asked).toMatchObject({ path: `/mj/task/${id}/image-seed`, headers: { 'mj-api-secret': 'mj-secret' } });
  });

  it('is an error of ours when the provider breaks off', async () => {
    const id = await drawn('https://images.example/seed.png');
    site.upstream.script({ path: `/mj/task/${id}/image-seed` }, (response) => void response.destroy());
    const answer = await site.call('GET', `/mj/task/${id}/image-seed`);
    expect([answer.status, answer.body]).toEqual([
      400,
      { description: 'do_request_failed', type: 'upstream_error', code: 5 },
    ]);
  });
});
