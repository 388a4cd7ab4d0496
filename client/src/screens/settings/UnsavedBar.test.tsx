import { ApolloLink } from '@apollo/client';
import { act, fireEvent, screen } from '@testing-library/react';
import { of } from 'rxjs';
import { renderScreen } from '../../testing/renderScreen.js';
import { changeLanguage } from '../../i18n/i18n.js';
import type { Language } from '../../i18n/languages.js';
import { SettingsContext } from '../../nouns/settings/SettingsContext.js';
import { SettingsDraft, type SavedSetting } from '../../nouns/settings/settingsDraft.js';
import { UnsavedBar } from './UnsavedBar.js';

const saved = (key: string, value: string): SavedSetting => ({
  key,
  value,
  isSet: true,
  isSecret: false,
  isWritable: true,
});

/** A server whose settings another admin changes. */
function server(settings: Map<string, string>) {
  const sent: string[] = [];
  const option = (key: string) => ({ __typename: 'Option', ...saved(key, settings.get(key) ?? '') });
  const link = new ApolloLink(({ operationName, variables }) => {
    if (operationName === 'Settings')
      return of({ data: { options: { __typename: 'OptionPage', items: [...settings.keys()].map(option) } } });
    if (operationName !== 'SaveSetting') return of({ data: {} });
    const { key, value } = variables as { key: string; value: string };
    sent.push(`${key}=${value}`);
    settings.set(key, value);
    return of({ data: { setOption: { __typename: 'SetOptionPayload', option: option(key) } } });
  });
  return { link, sent };
}

async function open(settings: Map<string, string>, edits: Readonly<Record<string, string>>) {
  const { link, sent } = server(settings);
  const draft = new SettingsDraft();
  draft.load([...settings].map(([key, value]) => saved(key, value)));
  await renderScreen({
    routes: [
      {
        path: '/setting',
        element: (
          <SettingsContext.Provider value={draft}>
            <UnsavedBar />
          </SettingsContext.Provider>
        ),
      },
    ],
    path: '/setting',
    link,
  });
  act(() => {
    for (const [key, value] of Object.entries(edits)) draft.edit(key, value);
  });
  return { draft, sent };
}

const save = async () => act(async () => fireEvent.click(screen.getByRole('button', { name: 'Save' })));

it('saves a group beside those that another admin added meanwhile', async () => {
  const settings = new Map([['GroupRatio', '{"default":1}']]);
  const { sent } = await open(settings, { GroupRatio: '{"default":1,"mine":2}' });
  settings.set('GroupRatio', '{"default":1,"theirs":3}');
  await save();
  expect(sent.map((text) => text.replace(/\s/g, ''))).toEqual(['GroupRatio={"default":1,"theirs":3,"mine":2}']);
});

it('asks again before it replaces a value that another admin saved meanwhile', async () => {
  const settings = new Map([['RetryTimes', '1']]);
  const { draft, sent } = await open(settings, { RetryTimes: '2' });
  settings.set('RetryTimes', '3');
  await save();
  expect(sent).toEqual([]);
  expect(draft.state().refused.get('RetryTimes')).toMatch(/Another admin/);
  await save();
  expect(sent).toEqual(['RetryTimes=2']);
});

it('asks to check the input, and saves nothing, while a value is not valid', async () => {
  const { sent } = await open(new Map([['RetryTimes', '3']]), { RetryTimes: '-1' });
  await save();
  await screen.findByText('Please check the input');
  expect(sent).toEqual([]);
});

it.each<[Language, string]>([
  ['en', 'General, Quota'],
  ['zh', '通用、额度'],
])('separates the sections with changes (%s)', async (language, sections) => {
  const keys = ['RetryTimes', 'PreConsumedQuota'];
  await open(new Map(keys.map((key) => [key, '3'])), Object.fromEntries(keys.map((key) => [key, '2'])));
  await act(() => changeLanguage(language, false));
  expect(screen.getByRole('status').textContent).toContain(sections);
});
