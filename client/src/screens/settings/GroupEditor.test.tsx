import { act, fireEvent, screen, within } from '@testing-library/react';
import { answers } from '../../testing/lists.js';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { GroupEditor } from './GroupEditor.js';
import { groupRows, withGroup, type GroupTexts } from './groupTable.js';
import { sectionsOf } from '../../nouns/settings/settingsCatalog.js';
import { SettingsContext } from '../../nouns/settings/SettingsContext.js';
import { SettingsDraft } from '../../nouns/settings/settingsDraft.js';
import { GroupUseDocument } from './settings.generated.js';

const texts: GroupTexts = {
  GroupRatio: '{ "default": 1, "vip": 0.8 }',
  UserUsableGroups: '{ "default": "Everyone" }',
  TopupGroupRatio: '{ "vip": 0.95 }',
  ModelRequestRateLimitGroup: '{}',
};
beforeEach(() => signInAs());

const settings = sectionsOf.operation.find(({ id }) => id === 'groupRatios')?.settings ?? [];

async function open(users = 3, values: GroupTexts = texts, limited = true): Promise<SettingsDraft> {
  const draft = new SettingsDraft();
  const saved = { isSet: true, isSecret: false, isWritable: true };
  const site = {
    ModelRequestRateLimitEnabled: String(limited),
    ModelRequestRateLimitCount: '60',
    ModelRequestRateLimitSuccessCount: '1000',
  };
  draft.load(Object.entries({ ...values, ...site }).map(([key, value]) => ({ key, value, ...saved })));
  const element = (
    <SettingsContext.Provider value={draft}>
      <GroupEditor settings={settings} />
    </SettingsContext.Provider>
  );
  const use = answers(GroupUseDocument, {
    users: { __typename: 'UserPage', totalCount: users },
    channels: { __typename: 'ChannelPage', totalCount: 0 },
  });
  await renderScreen({ routes: [{ path: '/', element }], mocks: [use] as never });
  return draft;
}
const group = (name: string) => within(screen.getByRole('group', { name }));
const json = (draft: SettingsDraft, key: string) => JSON.parse(draft.value(key)) as unknown;

it('shows a row for each group, with its members', async () => {
  await open();
  expect(group('vip').getByRole('textbox', { name: 'Ratio of vip' })).toHaveValue('0.8');
  expect(group('vip').getByRole('textbox', { name: 'Top-up ratio of vip' })).toHaveValue('0.95');
  expect(group('default').getByRole('textbox', { name: 'Description of default' })).toHaveValue('Everyone');
  expect(await group('vip').findByRole('link', { name: '3 users' })).toHaveAttribute('href', '/user?group=vip');
});

it('writes the settings behind a row, and no other', async () => {
  const draft = await open();
  const ratio = group('vip').getByRole('textbox', { name: 'Ratio of vip' });
  fireEvent.change(ratio, { target: { value: '0.' } });
  expect(ratio).toHaveValue('0.');
  fireEvent.change(ratio, { target: { value: '0.75' } });
  expect([...draft.state().edits.keys()]).toEqual(['GroupRatio']);
  expect(json(draft, 'GroupRatio')).toEqual({ default: 1, vip: 0.75 });
  fireEvent.change(group('vip').getByRole('textbox', { name: 'Requests per period of vip' }), {
    target: { value: '100' },
  });
  expect(json(draft, 'ModelRequestRateLimitGroup')).toEqual({ vip: [100, 1000] });
  fireEvent.click(group('vip').getByRole('switch', { name: 'Users may choose it of vip' }));
  expect(json(draft, 'UserUsableGroups')).toEqual({ default: 'Everyone', vip: 'vip' });
  fireEvent.change(group('vip').getByRole('textbox', { name: 'Top-up ratio of vip' }), { target: { value: '' } });
  expect(json(draft, 'TopupGroupRatio')).toEqual({});
});

it('leaves the limit beside a typed one as the site has it', async () => {
  const draft = await open();
  const field = (name: string) => group('vip').getByRole('textbox', { name: `${name} of vip` });
  fireEvent.change(field('Successful per period'), { target: { value: '50' } });
  expect(field('Requests per period')).toHaveValue('60');
  fireEvent.change(field('Successful per period'), { target: { value: '' } });
  fireEvent.blur(field('Successful per period'));
  fireEvent.change(field('Requests per period'), { target: { value: '100' } });
  expect(field('Successful per period')).toHaveValue('1000');
  expect(json(draft, 'ModelRequestRateLimitGroup')).toEqual({ vip: [100, 1000] });
});

it('says that limits of requests have no effect while they are switched off', async () => {
  const notice = 'Limits of requests have no effect: “Limit model requests” is off under Rate limits.';
  const draft = await open(3, texts, false);
  expect(screen.queryByText(notice)).toBeNull();
  fireEvent.change(group('vip').getByRole('textbox', { name: 'Requests per period of vip' }), {
    target: { value: '100' },
  });
  expect(screen.getByText(notice)).toBeInTheDocument();
  act(() => draft.edit('ModelRequestRateLimitEnabled', 'true'));
  expect(screen.queryByText(notice)).toBeNull();
});

it('keeps a wrong number from the settings', async () => {
  const draft = await open();
  const ratio = group('vip').getByRole('textbox', { name: 'Ratio of vip' });
  for (const value of ['', '-1', 'x']) {
    fireEvent.change(ratio, { target: { value } });
    expect(ratio).toHaveAttribute('aria-invalid', 'true');
  }
  expect(draft.state().edits.size).toBe(0);
});

it('states that a wrong number was not used when the field is left', async () => {
  const draft = await open();
  const ratio = group('vip').getByRole('textbox', { name: 'Ratio of vip' });
  fireEvent.change(ratio, { target: { value: '0,75' } });
  fireEvent.blur(ratio);
  expect(ratio).toHaveValue('0.8');
  expect(group('vip').getByRole('alert')).toHaveTextContent(
    '“0,75” was not used: enter a number from 0 to 1000000000.',
  );
  fireEvent.change(ratio, { target: { value: '0.75' } });
  expect(group('vip').queryByRole('alert')).toBeNull();
  expect(json(draft, 'GroupRatio')).toEqual({ default: 1, vip: 0.75 });
});

it('takes only whole numbers as limits of requests, and no number that JSON cannot hold', async () => {
  const draft = await open();
  const requests = group('vip').getByRole('textbox', { name: 'Requests per period of vip' });
  for (const value of ['1.5', '1e400', '3000000000', '0x10']) {
    fireEvent.change(requests, { target: { value } });
    expect(requests).toHaveAttribute('aria-invalid', 'true');
  }
  fireEvent.blur(requests);
  expect(group('vip').getByRole('alert')).toHaveTextContent(
    '“0x10” was not used: enter a whole number from 0 to 2147483647.',
  );
  const ratio = group('vip').getByRole('textbox', { name: 'Ratio of vip' });
  for (const value of ['1e400', 'Infinity', '1e10']) {
    fireEvent.change(ratio, { target: { value } });
    expect(ratio).toHaveAttribute('aria-invalid', 'true');
  }
  expect(draft.state().edits.size).toBe(0);
  fireEvent.change(requests, { target: { value: ' 20 ' } });
  fireEvent.change(ratio, { target: { value: '.5' } });
  expect(json(draft, 'ModelRequestRateLimitGroup')).toEqual({ vip: [20, 1000] });
  expect(json(draft, 'GroupRatio')).toEqual({ default: 1, vip: 0.5 });
});

it('adds a group once, and removes one that has no members', async () => {
  const draft = await open(0);
  const name = screen.getByRole('textbox', { name: 'Name of the new group' });
  fireEvent.change(name, { target: { value: 'vip' } });
  screen.getByText('This group exists already');
  fireEvent.change(name, { target: { value: 'team' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add group' }));
  expect(json(draft, 'GroupRatio')).toEqual({ default: 1, vip: 0.8, team: 1 });
  await group('vip').findByRole('link', { name: '0 users' });
  fireEvent.click(group('vip').getByRole('button', { name: 'Remove group vip' }));
  expect(json(draft, 'GroupRatio')).toEqual({ default: 1, team: 1 });
  expect(json(draft, 'TopupGroupRatio')).toEqual({});
});

it('keeps a group that has members', async () => {
  await open(3);
  await group('vip').findByRole('link', { name: '3 users' });
  expect(group('vip').getByRole('button', { name: 'Remove group vip' })).toBeDisabled();
});

it('shows JSON that is no table as JSON', async () => {
  await open(3, { ...texts, GroupRatio: '{ "vip": ' });
  expect(screen.getByRole('textbox', { name: 'Group ratios' })).toHaveValue('{ "vip": ');
});

it('changes nothing of what a row does not show', () => {
  expect(groupRows({ ...texts, GroupRatio: '[1]' })).toBeNull();
  expect(withGroup(texts, 'vip', { ratio: 0.8, description: null, topUpRatio: 0.95, limit: null })).toEqual({});
});
