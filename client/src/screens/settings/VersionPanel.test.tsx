import { fireEvent, screen } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { LatestReleaseDocument } from './settings.generated.js';
import { VersionPanel } from './VersionPanel.js';

const release = { __typename: 'Release', tag: 'v9.9.9', notes: 'Faster', isCurrent: true };

it.each([
  [release, 'Already latest: v9.9.9'],
  [null, 'Update check is not configured (RELEASES_URL)'],
])('says what a check for updates found: %j', async (latestRelease, text) => {
  await renderScreen({
    routes: [{ path: '/', element: <VersionPanel /> }],
    mocks: [answers(LatestReleaseDocument, { latestRelease })] as never,
  });
  fireEvent.click(screen.getByRole('button', { name: 'Check for updates' }));
  await screen.findByText(text);
});
