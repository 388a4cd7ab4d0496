import { screen } from '@testing-library/react';
import { dateTime } from '../../lib/format.js';
import { siteStatus } from '../../lib/status.js';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { HomeDocument } from './home.generated.js';
import { HomeScreen } from './HomeScreen.js';

it('shows the version, the start time and the ways to sign in', async () => {
  const started = 1_763_600_000;
  siteStatus.set({ ...siteStatus.get(), version: '1.2.3', startTime: started, githubOauth: true });
  await renderScreen({
    routes: [{ path: '/', element: <HomeScreen /> }],
    mocks: [answers(HomeDocument, { homePageContent: '', notice: '' })] as never,
  });
  expect(await screen.findByText('1.2.3')).toBeInTheDocument();
  expect(screen.getByText(dateTime(started * 1000))).toBeInTheDocument();
  for (const way of ['Password', 'GitHub']) expect(screen.getByText(way)).toBeInTheDocument();
});
