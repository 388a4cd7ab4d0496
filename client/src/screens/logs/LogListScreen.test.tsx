import { screen, waitFor } from '@testing-library/react';
import { session } from '../../lib/session.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { LogListScreen } from './LogListScreen.js';
import { chooseOfPage } from '../../testing/filters.js';
import { MyLogsDocument, MyLogStatDocument } from '../../nouns/logs/logs.generated.js';

beforeEach(() => session.start({ id: 1, username: 'ada', displayName: 'Ada', role: 1, status: 1, group: 'default' }));
afterAll(() => session.end());

const nothing = { myLogs: { __typename: 'OwnLogPage', totalCount: 0, totalCapped: false, items: [] } };

it.each([
  ['/', 'No calls in this range'],
  ['/?type=ERROR', 'Nothing matches these filters'],
])('says at %s when failed calls are listed', async (path, title) => {
  const mocks = [answers(MyLogsDocument, nothing)];
  await renderScreen({ path, routes: [{ path: '/', element: <LogListScreen /> }], mocks: mocks as never });
  await screen.findByText(title);
  screen.getByText(/Failed calls are listed only while the setting “Log failed calls” is on\.$/);
});

it('asks again for rows and totals on Refresh, until the moment at which the server answers', async () => {
  const asked = jest.fn((_: unknown) => true);
  const sums = { __typename: 'LogSums', quota: 0, promptTokens: 0, completionTokens: 0 };
  const totals = { __typename: 'OwnLogPage', sums, lastMinute: { __typename: 'LogRate', calls: 0, tokens: 0 } };
  const mocks = [
    { ...answers(MyLogsDocument, nothing), maxUsageCount: 2 },
    { request: { query: MyLogStatDocument, variables: asked }, result: { data: { myLogs: totals } }, maxUsageCount: 2 },
  ];
  await renderScreen({ routes: [{ path: '/', element: <LogListScreen /> }], mocks: mocks as never });
  await screen.findByText('No calls in this range');
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
  await chooseOfPage('Refresh');
  await waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  const [first, second] = asked.mock.calls;
  expect(second).toEqual(first);
  expect(first).toMatchObject([{ filter: { at: { until: null } } }]);
});
