import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { readText, writeText } from '../lib/storage.js';
import type { en } from './en/en.js';

export const languages = ['zh', 'en'] as const;
export type Language = (typeof languages)[number];

/** `public/boot.js` reads the same key before the first paint. */
const storageKey = 'language';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

/** Each language is a chunk of its own: only the one in use is fetched. */
const load: Record<Language, () => Promise<object>> = {
  en: async () => (await import('./en/en.js')).en,
  zh: async () => (await import('./zh/zh.js')).zh,
};

export function preferredLanguage(): Language {
  const wanted = readText(storageKey) ?? navigator.language;
  return wanted.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

async function ensureLoaded(language: Language): Promise<void> {
  if (!i18next.hasResourceBundle(language, 'translation')) {
    i18next.addResourceBundle(language, 'translation', await load[language]());
  }
}

export async function startI18n(): Promise<i18n> {
  const language = preferredLanguage();
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: {},
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  await changeLanguage(language, false);
  return i18next;
}

export async function changeLanguage(language: Language, remember = true): Promise<void> {
  await ensureLoaded(language);
  if (remember) writeText(storageKey, language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
