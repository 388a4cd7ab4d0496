import { fireEvent, screen, within } from '@testing-library/react';
import { session } from '../../lib/session.js';
import { answers, failsOnce, headers, rowOf, toneOf } from '../../testing/lists.js';
import { onPhone } from '../../testing/onPhone.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { CreativeTaskListScreen } from './CreativeTaskListScreen.js';
import { DrawingListScreen } from './DrawingListScreen.js';
import {
  CreativeTasksDocument,
  DrawingsDocument,
  MyCreativeTasksDocument,
  MyDrawingsDocument,
  type CreativeTaskRowFragment,
  type DrawingRowFragment,
} from './tasks.generated.js';

const begun = '2025-06-02T10:11:00.000Z';
const secondsLater = (seconds: number) => new Date(new Date(begun).getTime() + seconds * 1000).toISOString();

const drawing = (id: number, more: Partial<DrawingRowFragment> = {}) => ({
  __typename: 'Drawing',
  id,
  action: 'IMAGINE',
  channelId: 7,
  failReason: null,
  finishedAt: null,
  imageUrl: null,
  progress: 0,
  prompt: null,
  promptEn: null,
  status: 'NOT_STARTED',
  submission: 'ACCEPTED',
  submittedAt: begun,
  taskId: `drawing-${String(id)}`,
  ...more,
});
const song = (id: number, more: Partial<CreativeTaskRowFragment> = {}) => ({
  __typename: 'CreativeTask',
  id,
  action: 'MUSIC',
  channelId: 8,
  contentUrl: null,
  data: null,
  failReason: null,
  finishedAt: null,
  input: null,
  platform: 'suno',
  progress: 0,
  status: 'NOT_STARTED',
  submittedAt: begun,
  taskId: `song-${String(id)}`,
  ...more,
});
const pageOf = (field: string, items: readonly object[]) => ({
  [field]: { __typename: 'Page', totalCount: items.length, items },
});
const openDrawings = (...mocks: readonly object[]) =>
  renderScreen({ path: '/', routes: [{ path: '/', element: <DrawingListScreen /> }], mocks: mocks as never });
const openSongs = (...mocks: readonly object[]) =>
  renderScreen({ path: '/', routes: [{ path: '/', element: <CreativeTaskListScreen /> }], mocks: mocks as never });
const beRole = (role: number) => {
  session.start({ id: 1, username: 'somebody', displayName: 'Somebody', role, status: 1, group: 'default' });
};

beforeEach(() => {
  beRole(10);
});
afterAll(() => {
  session.end();
});

it.each([
  ['drawing', DrawingsDocument, 'drawings', drawing, <DrawingListScreen key="" />],
  ['song', CreativeTasksDocument, 'creativeTasks', song, <CreativeTaskListScreen key="" />],
] as const)(
  'opens the %s of a shared link on whatever page of the list it is',
  async (kind, query, field, task, list) => {
    const read = {
      request: { query, variables: () => true },
      maxUsageCount: 9,
      result: ({ filter }: { filter: { ids?: number[] } }) => ({ data: pageOf(field, [task(filter.ids ? 70 : 5)]) }),
    };
    const { location } = await renderScreen({
      path: '/?row=70',
      routes: [{ path: '/', element: list }],
      mocks: [read] as never,
    });
    const viewer = within(await screen.findByRole('dialog', { name: new RegExp(`${kind}-70`) }));
    fireEvent.click(viewer.getByRole('button', { name: 'Close' }));
    expect(location()).toBe('/');
    fireEvent.click((await rowOf(`${kind}-5`)).getAllByRole('gridcell')[0] as HTMLElement);
    await screen.findByRole('dialog', { name: new RegExp(`${kind}-5`) });
    expect(location()).toBe('/?row=5');
  },
);

describe('drawings', () => {
  it('have a word and a tone for every kind, answer and state', async () => {
    const rows = [
      ['IMAGINE', 'Imagine', 'ACCEPTED', 'Submitted', 'green', 'NOT_STARTED', 'Not started', 'grey'],
      ['UPSCALE', 'Upscale', 'EXISTS', 'Waiting', 'lime', 'SUBMITTED', 'Queued', 'amber'],
      ['PAN', 'Pan', 'QUEUED', 'Duplicate', 'orange', 'IN_PROGRESS', 'In progress', 'blue'],
      ['SWAP_FACE', 'Swap face', 'NOT_SUBMITTED', 'Not submitted', 'amber', 'SUCCESS', 'Done', 'green'],
      ['DESCRIBE', 'Describe', 'REFUSED', 'Refused', 'red', 'FAILURE', 'Failed', 'red'],
      ['BLEND', 'Blend', 'ACCEPTED', 'Submitted', 'green', 'WAITING_FOR_INPUT', 'Waiting for window', 'amber'],
    ] as const;
    const items = rows.map(([action, , submission, , , status], index) =>
      drawing(index, { action, submission, status }),
    );
    await openDrawings(answers(DrawingsDocument, pageOf('drawings', items)));
    for (const [index, [, kind, , answer, answerTone, , state, stateTone]] of rows.entries()) {
      const row = await rowOf(`drawing-${String(index)}`);
      row.getByText(kind);
      expect([answer, toneOf(row.getByText(answer))]).toEqual([answer, answerTone]);
      expect([state, toneOf(row.getByText(state))]).toEqual([state, stateTone]);
    }
  });

  it('are rated by how long they took: more than a minute is red', async () => {
    const items = [drawing(1, { finishedAt: secondsLater(60) }), drawing(2, { finishedAt: secondsLater(61) })];
    await openDrawings(answers(DrawingsDocument, pageOf('drawings', items)));
    expect(toneOf((await rowOf('drawing-1')).getByText('60 s'))).toBe('green');
    expect(toneOf((await rowOf('drawing-2')).getByText('61 s'))).toBe('red');
  });

  it('of one’s own have neither channel nor answer nor state', async () => {
    beRole(1);
    await openDrawings(answers(MyDrawingsDocument, pageOf('drawings', [drawing(1)])));
    const shown = await headers();
    expect(shown).toEqual(expect.arrayContaining(['Submitted', 'Duration', 'Type', 'Task ID', 'Progress', 'Result']));
    expect(shown).toEqual(expect.not.arrayContaining(['Channel']));
    expect(shown.filter((name) => ['Channel', 'Answer', 'Status'].includes(name))).toEqual([]);
    expect(screen.queryByRole('textbox', { name: 'Channel ID' })).toBeNull();
  });

  it('say that there are none, and what failed', async () => {
    const { unmount } = await openDrawings(answers(DrawingsDocument, pageOf('drawings', [])));
    await screen.findByRole('heading', { name: 'No drawings in this range' });
    unmount();
    await openDrawings(...failsOnce(DrawingsDocument, 'The database is away', pageOf('drawings', [drawing(1)])));
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is away');
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }));
    await rowOf('drawing-1');
  });
});

describe('songs', () => {
  it('have a word and a tone for every state, also for an unknown one', async () => {
    const states = [
      ['SUCCESS', 'Done', 'green'],
      ['NOT_STARTED', 'Not started', 'grey'],
      ['SUBMITTED', 'Queued', 'amber'],
      ['IN_PROGRESS', 'In progress', 'blue'],
      ['FAILURE', 'Failed', 'red'],
      ['QUEUED', 'Queued', 'amber'],
      ['UNKNOWN', 'Unknown', 'outline'],
    ] as const;
    const items = states.map(([status], index) => song(index, { status, finishedAt: secondsLater(600) }));
    await openSongs(answers(CreativeTasksDocument, pageOf('creativeTasks', items)));
    for (const [index, [, word, tone]] of states.entries()) {
      const row = await rowOf(`song-${String(index)}`);
      expect([word, toneOf(row.getByText(word))]).toEqual([word, tone]);
    }
    // The duration of songs is never coloured.
    expect(toneOf((await rowOf('song-0')).getByText('600 s'))).toBe('grey');
    expect(await headers()).toEqual(
      expect.arrayContaining([
        'Submitted',
        'Finished',
        'Progress',
        'Duration',
        'Channel',
        'Platform',
        'Type',
        'Task ID',
      ]),
    );
  });

  it('can be heard once they are finished, and only songs', async () => {
    const data = [{ audio_url: 'https://cdn.example/dawn.mp3' }];
    const items = [
      song(1, { status: 'SUCCESS', data }),
      song(2, { status: 'IN_PROGRESS', data }),
      song(3, { status: 'SUCCESS', action: 'LYRICS', data }),
    ];
    await openSongs(answers(CreativeTasksDocument, pageOf('creativeTasks', items)));
    (await rowOf('song-1')).getByRole('button', { name: 'Play song song-1' });
    expect((await rowOf('song-2')).queryByRole('button', { name: /^Play/ })).toBeNull();
    expect((await rowOf('song-3')).queryByRole('button', { name: /^Play/ })).toBeNull();
  });

  it('are listed with videos, which can be watched once they are complete', async () => {
    const link = '/v1/videos/video-1/content?expires=1&signature=x';
    const items = [
      song(1, { platform: 'video', action: 'VIDEO', status: 'SUCCESS', taskId: 'video-1', contentUrl: link }),
      song(2, { platform: 'video', action: 'VIDEO', status: 'IN_PROGRESS', taskId: 'video-2' }),
    ];
    await openSongs(answers(CreativeTasksDocument, pageOf('creativeTasks', items)));
    expect((await rowOf('video-2')).queryByRole('button', { name: /^Play/ })).toBeNull();
    (await rowOf('video-1')).getByText('Video');
    fireEvent.click((await rowOf('video-1')).getByRole('button', { name: 'Play video video-1' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Video video-1' }));
    expect(dialog.getByLabelText('Video video-1')).toHaveAttribute('src', link);
    expect(dialog.getByRole('link', { name: 'Open in a new tab' })).toHaveAttribute('href', link);
  });

  it('of one’s own have neither channel nor state, and none are said to be none', async () => {
    beRole(1);
    const { unmount } = await openSongs(answers(MyCreativeTasksDocument, pageOf('creativeTasks', [song(1)])));
    expect((await headers()).filter((name) => ['Channel', 'Status'].includes(name))).toEqual([]);
    unmount();
    await openSongs(answers(MyCreativeTasksDocument, pageOf('creativeTasks', [])));
    await screen.findByRole('heading', { name: 'No tasks in this range' });
  });
});

it('shows prompt, status and failure reason of a drawing on a card of a phone', async () => {
  onPhone();
  const failed = drawing(1, { status: 'FAILURE', prompt: 'A ship at dawn', failReason: 'banned prompt' });
  await openDrawings(answers(DrawingsDocument, pageOf('drawings', [failed])));
  const card = within(await screen.findByRole('listitem'));
  for (const text of ['A ship at dawn', 'Failed', 'banned prompt']) card.getByText(text);
  jest.restoreAllMocks();
});

it('names a video by its prompt on a card of a phone, and a task without one by its id', async () => {
  onPhone();
  const items = [song(1, { action: 'VIDEO', taskId: 'video-1', input: 'A lighthouse' }), song(2)];
  await openSongs(answers(CreativeTasksDocument, pageOf('creativeTasks', items)));
  const [video, other] = (await screen.findAllByRole('listitem')).map((card) => within(card));
  fireEvent.click(video!.getByRole('button', { name: 'A lighthouse' }));
  expect(await screen.findByRole('dialog', { name: 'Task video-1' })).toHaveTextContent('"input": "A lighthouse"');
  other!.getByText('song-2');
  jest.restoreAllMocks();
});
