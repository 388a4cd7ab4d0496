import { screen } from '@testing-library/react';
import { session } from '../../lib/session.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { LogListScreen } from './LogListScreen.js';
import { MyLogsDocument } from '../../nouns/logs/logs.generated.js';

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
