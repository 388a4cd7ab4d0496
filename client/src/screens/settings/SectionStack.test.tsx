import { act, fireEvent, screen } from '@testing-library/react';
import { renderScreen } from '../../testing/renderScreen.js';
import { signInAs } from '../../testing/signInAs.js';
import { SettingsContext } from '../../nouns/settings/SettingsContext.js';
import { SettingsDraft } from '../../nouns/settings/settingsDraft.js';
import { SectionStack } from './SectionStack.js';

const setting = (key: string, value: string) => ({ key, value, isSet: true, isSecret: false, isWritable: true });

async function open(search = '') {
  const draft = new SettingsDraft();
  draft.load([setting('CheckInEnabled', 'true'), setting('CheckInQuota', '5'), setting('QuotaForNewUser', '7')]);
  const element = (
    <SettingsContext.Provider value={draft}>
      <SectionStack tab="operation" />
    </SettingsContext.Provider>
  );
  const screenOf = await renderScreen({ path: `/setting${search}`, routes: [{ path: '/setting', element }] });
  return { draft, ...screenOf };
}

const press = (name: string) => act(async () => fireEvent.click(screen.getByRole('button', { name })));
const fields = () => screen.queryAllByRole('textbox', { name: /reward|new user/i }).length;

beforeEach(() => {
  localStorage.clear();
  signInAs();
  Element.prototype.scrollIntoView = () => undefined;
});

it('folds a section for good, and unfolds it when it is chosen in the list', async () => {
  const { unmount } = await open();
  const whole = fields();
  expect(whole).toBeGreaterThan(1);
  await press('Fold Check-in');
  expect(screen.getByRole('button', { name: 'Unfold Check-in' })).toHaveAttribute('aria-expanded', 'false');
  const shown = fields();
  expect(shown).toBeLessThan(whole);
  unmount();
  await open();
  expect(fields()).toBe(shown);
  await press('Check-in');
  expect(fields()).toBe(whole);
});

it('folds all, but shows what is searched for and what has unsaved changes', async () => {
  const { unmount } = await open();
  await press('Fold all');
  expect(fields()).toBe(0);
  unmount();
  const { draft } = await open('?tab=operation&find=QuotaForNewUser');
  const found = fields();
  expect(found).toBeGreaterThan(0);
  act(() => draft.edit('CheckInQuota', '6'));
  expect(fields()).toBeGreaterThan(found);
  expect(screen.getByRole('button', { name: 'Fold Check-in' })).toHaveAttribute('aria-expanded', 'true');
});

it('does not fold what is searched for or has unsaved changes, not even later', async () => {
  const { draft } = await open('?tab=operation&find=QuotaForNewUser');
  act(() => draft.edit('CheckInQuota', '6'));
  expect(screen.getByRole('button', { name: 'Fold Check-in' })).toBeDisabled();
  await press('Fold all');
  const whole = fields();
  act(() => draft.discard());
  expect(screen.getByRole('button', { name: 'Fold Check-in' })).toBeEnabled();
  expect(fields()).toBe(whole);
});
