import { changeLanguage, startI18n } from './i18n.js';

it('speaks the language that another tab has chosen', async () => {
  const i18n = await startI18n();
  await changeLanguage('en');
  localStorage.setItem('language', 'zh');
  const changed = new Promise((resolve) => {
    i18n.on('languageChanged', resolve);
  });
  dispatchEvent(new StorageEvent('storage', { key: 'language', newValue: 'zh' }));
  expect(await changed).toBe('zh');
  expect(i18n.t('actions.cancel')).toBe('取消');
});
