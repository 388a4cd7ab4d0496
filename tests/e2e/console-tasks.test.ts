import pg from 'pg';
import type { Browser, Locator } from 'playwright-core';
import { startServer, type TestServer } from '../support/server.js';
import { copied, openBrowser, untilEqual, visit, type Visitor } from './console-page.js';
import { startUpstream, type Upstream } from '../support/upstream/upstream.js';
import { enter, photographAll, sidewaysOverflow } from './console-session.js';

/** Drawings, songs and videos as an admin sees them. */
jest.setTimeout(120_000);

let server: TestServer;
let browser: Browser;
let upstream: Upstream;
let visitor: Visitor;

const picture = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
const prompt =
  'A lighthouse above the clouds at dawn, oil on canvas, wide, with ships that sail through the sky --ar 16:9';

beforeAll(async () => {
  // Providers are not polled, so the tasks stay as inserted below.
  const quiet = { environment: { UPDATE_TASK: 'false', OUTBOUND_ALLOW: '127.0.0.1' } };
  [server, browser, upstream] = await Promise.all([startServer(quiet), openBrowser(), startUpstream()]);
  const root = await server.api.setUp();
  // Images are then loaded from their original URL, which is the page itself here.
  await server.api.data(root, 'PUT', '/api/option/', { key: 'MjForwardUrlEnabled', value: 'false' });
  const database = new pg.Client(server.database.url);
  await database.connect();
  const now = Date.now();
  for (const [id, action, status, progress, seconds, image, reason, code] of [
    ['1f3a-imagine', 'IMAGINE', 'SUCCESS', 100, 42, picture, '', 1],
    ['2b7c-upscale', 'UPSCALE', 'FAILURE', 100, 75, '', 'The picture could not be found any more', 1],
    ['3c9d-pan', 'PAN', 'IN_PROGRESS', 37, 0, '', '', 22],
    ['4d1e-newer', 'DREAM', 'MODAL', 0, 0, '', '', 21],
  ] as const) {
    await database.query(
      `INSERT INTO midjourneys (request_id, user_id, channel_id, mj_id, action, status, progress, submit_time,
         finish_time, image_url, fail_reason, code, prompt, prompt_en)
       VALUES ($1, $2, 7, $1, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'lighthouse')`,
      [
        id,
        root.id,
        action,
        status,
        progress,
        new Date(now - 90_000),
        seconds === 0 ? null : new Date(now - 90_000 + seconds * 1000),
        image,
        reason,
        code,
        prompt,
      ],
    );
  }
  const second = new Date(now);
  const after = (seconds: number): Date => new Date(now + seconds * 1000);
  for (const [id, action, status, progress, data] of [
    ['song-1', 'MUSIC', 'SUCCESS', 100, '[{"title":"Dawn","audio_url":"http://127.0.0.1:9/dawn.mp3"}]'],
    ['song-2', 'LYRICS', 'QUEUED', 10, null],
  ] as const) {
    await database.query(
      `INSERT INTO tasks (request_id, created_at, updated_at, task_id, platform, user_id, channel_id, action, status,
         progress, submit_time, finish_time, data)
       VALUES ($1, $2, $2, $1, 'suno', $3, 8, $4, $5, $6, $2, $7, $8)`,
      [id, second, root.id, action, status, progress, status === 'SUCCESS' ? after(31) : null, data],
    );
  }
  const channel = await server.api.createChannel(root, {
    type: 48,
    baseUrl: upstream.url,
    models: ['grok-imagine-video'],
  });
  upstream.script({ path: '/made.mp4' }, (response) => {
    response.writeHead(200, { 'content-type': 'video/mp4' }).end('the bytes of a video');
  });
  await database.query(
    `INSERT INTO tasks (request_id, created_at, updated_at, task_id, platform, user_id, channel_id, action, status,
       progress, submit_time, finish_time, properties, data)
     VALUES ('v', $1, $1, 'video_1', 'video', $2, $3, 'VIDEO', 'SUCCESS', 100, $1, $4, $5, $6)`,
    [
      ...[second, root.id, channel, after(64), { input: prompt, model: 'grok-imagine-video', upstream: 'job' }],
      { status: 'done', video: { url: `${upstream.url}/made.mp4` } },
    ],
  );
  await database.end();
  visitor = await visit(browser, server.url);
  await enter(visitor);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  await upstream.stop();
});

afterEach(() => {
  expect(visitor.complaints).toEqual([]);
});

const row = (text: string): Locator => visitor.page.getByRole('row').filter({ hasText: text });

it('lists drawings with what became of them, and shows texts and pictures in full', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Drawing log' }).click();
  await page.getByText('Drawing callbacks are off').waitFor();
  const done = row('1f3a-imagine');
  for (const text of ['Imagine', 'Submitted', 'Done', '100%', '42 s', '#7'])
    await done.getByText(text, { exact: true }).waitFor();
  for (const text of ['Upscale', 'Failed', '75 s'])
    await row('2b7c-upscale').getByText(text, { exact: true }).waitFor();
  for (const text of ['Pan', 'Duplicate', 'In progress', '37%'])
    await row('3c9d-pan').getByText(text, { exact: true }).waitFor();
  for (const text of ['Unknown', 'Waiting', 'Waiting for window'])
    await row('4d1e-newer').getByText(text, { exact: true }).waitFor();
  await photographAll(visitor, 'drawings');

  await done.getByText(prompt).click();
  await page.getByRole('dialog', { name: 'Prompt', exact: true }).getByText(prompt).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Copy text' }).click();
  await untilEqual(() => copied(page), prompt);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await done.getByRole('button', { name: 'View image of 1f3a-imagine' }).click();
  await page.getByRole('img', { name: 'Image 1f3a-imagine' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  await page.getByRole('textbox', { name: 'Task ID' }).fill('2b7c-upscale');
  await page.getByText('Items 1 - 1 of 1').waitFor();
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('lists songs, shows the record as JSON, and offers to play what is finished', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Task log' }).click();
  const song = row('song-1');
  for (const text of ['Music', 'suno', 'Done', '31 s', '#8']) await song.getByText(text, { exact: true }).waitFor();
  await row('song-2').getByText('Queued', { exact: true }).waitFor();
  expect(await row('song-2').getByRole('button', { name: 'Play song song-2' }).count()).toBe(0);
  await photographAll(visitor, 'tasks');
  await song.getByRole('button', { name: 'song-1', exact: true }).click();
  await page.getByRole('dialog', { name: 'Task song-1' }).getByText('"title": "Dawn"').waitFor();
  await visitor.photograph('tasks-record-light-1440');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await song.getByRole('button', { name: 'Play song song-1' }).waitFor();

  await page.getByRole('button', { name: 'Add filter', exact: true }).click();
  await page.getByRole('textbox', { name: 'Channel ID' }).fill('9');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing matches these filters').waitFor();
  expect(await sidewaysOverflow(visitor)).toBe(0);
});

it('plays a video, which the browser reads without an API key', async () => {
  const { page } = visitor;
  await page.getByRole('link', { name: 'Task log' }).click();
  const video = row('video_1');
  for (const text of ['Video', 'video', 'Done', '64 s']) await video.getByText(text, { exact: true }).waitFor();
  const read = page.waitForResponse((response) => response.url().includes('/v1/videos/video_1/content'));
  await video.getByRole('button', { name: 'Play video video_1' }).click();
  const response = await read;
  expect([response.status(), response.headers()['content-type']]).toEqual([200, 'video/mp4']);
  await page.getByRole('dialog', { name: 'Video video_1' }).locator('video').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  expect(upstream.requests.map(({ path, key }) => [path, key])).toEqual([['/made.mp4', null]]);
});
