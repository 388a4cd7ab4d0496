import { act, fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { SettingControl } from './SettingControl.js';
import { settingsByKey } from './settingsByKey.js';
import { SettingsContext } from './SettingsContext.js';
import { SettingsDraft, type SavedSetting } from './settingsDraft.js';

const dependent = [...settingsByKey.values()].flatMap(({ setting }) =>
  setting.enabledBy === undefined ? [] : [[setting.key, setting.enabledBy] as const],
);

async function open(key: string, ...saved: readonly Partial<SavedSetting>[]): Promise<SettingsDraft> {
  const draft = new SettingsDraft();
  draft.load(saved.map((one) => ({ key, value: '', isSet: false, isSecret: false, isWritable: true, ...one })));
  const { setting } = settingsByKey.get(key) ?? {};
  if (!setting) throw new Error(key);
  const element = (
    <SettingsContext.Provider value={draft}>
      <SettingControl setting={setting} id="control" />
    </SettingsContext.Provider>
  );
  await renderScreen({ routes: [{ path: '/', element }] });
  return draft;
}

it('has settings that depend on others', () => {
  expect(dependent).not.toEqual([]);
});

it.each(dependent)('enables %s together with %s', async (key, enabledBy) => {
  const draft = await open(key, { value: '10' }, { key: enabledBy, value: 'false' });
  expect(screen.getByRole('textbox')).toBeDisabled();
  act(() => {
    draft.edit(enabledBy, 'true');
  });
  expect(screen.getByRole('textbox')).toBeEnabled();
});

it('removes a stored secret on request, and not by clearing the field', async () => {
  const draft = await open('SMTPToken', { isSet: true, isSecret: true });
  const field = screen.getByPlaceholderText('unchanged');
  fireEvent.change(field, { target: { value: 'new' } });
  fireEvent.change(field, { target: { value: '' } });
  expect(draft.state().edits.size).toBe(0);
  fireEvent.click(screen.getByRole('button', { name: 'Remove stored value' }));
  expect([...draft.state().edits]).toEqual([['SMTPToken', '']]);
  expect(screen.getByPlaceholderText('Removed when saved')).toBeInTheDocument();
  act(() => {
    draft.load([{ key: 'SMTPToken', value: '', isSet: true, isSecret: true, isWritable: true }]);
  });
  expect(draft.state().edits.has('SMTPToken')).toBe(true);
});
