import type { CreativeTaskStore } from '../../console/tasks/creative-task-store.js';
import { providerOf } from '../../dialects/makers/providers.js';
import { polledVideos } from './polled-platforms.js';
import type { TaskTarget } from './task-target.js';
import type { TaskAnswer, TaskRequest, TaskUpstream } from './task-upstream.js';

const target = {
  baseUrl: 'https://videos.example',
  key: 'secret',
  channel: { provider: providerOf(60) },
} as TaskTarget;
const asking = (answer: (path: string) => TaskAnswer | Promise<TaskAnswer>) =>
  polledVideos(
    {} as CreativeTaskStore,
    {
      call: (_target: TaskTarget, { path }: TaskRequest) => Promise.resolve(answer(path)),
    } as unknown as TaskUpstream,
  );
const answer = (status: number, body: object): TaskAnswer => ({ status, body: Buffer.from(JSON.stringify(body)) });

it.each([400, 404, 410, 422])('a video that is answered with %s keeps the account asked', async (status) => {
  const found = await asking(() => answer(status, { error: { message: 'no such video' } })).ask(target, ['gone']);
  expect(found.size).toBe(0);
});

it.each([401, 403, 429, 500, 503])(
  'an account whose lookups are all answered with %s is in cooldown',
  async (status) => {
    await expect(asking(() => answer(status, {})).ask(target, ['one', 'other'])).rejects.toThrow(String(status));
  },
);

it('one video that cannot be asked for keeps no other from being reported', async () => {
  const videos = asking((path) => (path.endsWith('/bad') ? answer(500, {}) : answer(200, { status: 'completed' })));
  const found = await videos.ask(target, ['bad', 'good']);
  expect([...found]).toEqual([
    ['good', expect.objectContaining({ report: expect.objectContaining({ state: 'done' }) })],
  ]);
});
