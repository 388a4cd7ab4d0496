import { EventReader } from '../support/event-reader.js';
import { TaskSite } from '../support/task-site.js';

let site: TaskSite;
const readers: EventReader[] = [];

beforeAll(async () => {
  site = await TaskSite.open();
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => site.close());

interface Step {
  readonly id: number;
  readonly status: string;
  readonly progress: number;
  readonly channelId?: number | null;
}

async function watch(person: TaskSite['user'], field: string): Promise<{ reader: EventReader; steps: () => Step[] }> {
  const channel = field.startsWith('my') ? '' : 'channelId';
  const query = `subscription { ${field} { items { id status progress failReason ${channel} } missed } }`;
  const reader = await EventReader.open(site.server.url, person, query);
  readers.push(reader);
  return { reader, steps: () => reader.results.flatMap(({ data }) => (data?.[field] as { items: Step[] }).items) };
}

it('drawings are told step by step, to admins and to their owner, whoever moved them', async () => {
  const stranger = await site.addCustomer('stranger');
  const all = await watch(site.root, 'drawingChanged');
  const own = await watch(site.user, 'myDrawingChanged');
  const theirs = await watch(stranger.user, 'myDrawingChanged');
  const { body } = await site.call('POST', '/mj/submit/imagine', { prompt: 'a lighthouse' });
  const id = body.result as string;
  await own.reader.until(() => own.steps().length > 0);
  site.tasks.reported.set(id, { status: 'IN_PROGRESS', progress: '40%' });
  await own.reader.until(() => own.steps().at(-1)?.progress === 40);
  site.tasks.reported.set(id, { status: 'SUCCESS', progress: '100%', imageUrl: 'https://pictures.example/1.png' });
  await own.reader.until(() => own.steps().at(-1)?.progress === 100);
  await all.reader.until(() => all.steps().at(-1)?.progress === 100);
  expect(own.steps().at(-1)).toMatchObject({ status: 'SUCCESS' });
  expect(all.steps().at(-1)).toMatchObject({ status: 'SUCCESS', channelId: site.drawingChannel });
  expect(theirs.reader.results).toEqual([]);
  expect(all.reader.text + own.reader.text).not.toContain('mj-secret');
});

it('songs are told step by step, to admins and to their owner', async () => {
  const all = await watch(site.root, 'creativeTaskChanged');
  const own = await watch(site.user, 'myCreativeTaskChanged');
  const { body } = await site.call('POST', '/suno/submit/MUSIC', { prompt: 'a song of the sea' });
  const id = body.data as string;
  await own.reader.until(() => own.steps().length > 0);
  site.tasks.reported.set(id, { action: 'MUSIC', status: 'IN_PROGRESS', progress: '30%' });
  await own.reader.until(() => own.steps().at(-1)?.status === 'IN_PROGRESS');
  site.tasks.reported.set(id, { action: 'MUSIC', status: 'FAILURE', progress: '100%', fail_reason: 'refused' });
  await own.reader.until(() => own.steps().at(-1)?.status === 'FAILURE');
  await all.reader.until(() => all.steps().at(-1)?.status === 'FAILURE');
  expect(all.steps().at(-1)?.channelId).toBe(site.musicChannel);
  expect(all.reader.text + own.reader.text).not.toContain('suno-secret');
});
