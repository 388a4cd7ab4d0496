import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { BulkEditDialog } from './BulkEditDialog.js';
import { ChannelChoicesDocument, UpdateChannelsDocument } from './channels.generated.js';

it('takes whole numbers only, and names the reason for each other one', async () => {
  const sent: object[] = [];
  const variables = ({ input }: { input?: object }) => {
    if (input) sent.push(input);
    return true;
  };
  const element = <BulkEditDialog ids={[1, 2]} onDone={() => undefined} onClose={() => undefined} />;
  const payload = { __typename: 'BulkPayload', done: [1, 2], failed: [] };
  await renderScreen({
    path: '/channel',
    routes: [{ path: '/channel', element }],
    mocks: [
      answers(ChannelChoicesDocument, { groups: ['default'], enabledModels: [], channelTags: [] }),
      { request: { query: UpdateChannelsDocument, variables }, result: { data: { updateChannels: payload } } },
    ] as never,
  });
  const dialog = within(await screen.findByRole('dialog'));
  const save = dialog.getByRole('button', { name: /save|change/i });
  for (const [label, text, problem] of [
    ['Weight', '1.5', 'Enter a whole number'],
    ['Weight', '1e20', 'Enter a whole number'],
    ['Weight', '-1', 'Must be 0 or more'],
    ['Priority', '-1000', 'Must be -999 or more'],
  ] as const) {
    const field = dialog.getByRole('textbox', { name: new RegExp(`^${label}`) });
    fireEvent.change(field, { target: { value: text } });
    fireEvent.click(save);
    await dialog.findByText(problem);
    fireEvent.change(field, { target: { value: '' } });
  }
  expect(sent).toEqual([]);
  fireEvent.change(dialog.getByRole('textbox', { name: /^Priority/ }), { target: { value: '-5' } });
  fireEvent.click(save);
  await waitFor(() => {
    expect(sent).toContainEqual({ ids: [1, 2], priority: -5 });
  });
});
