import type { DataGridProps } from '@mui/x-data-grid';
import i18next, { type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { readText, writeText } from '../lib/storage.js';
import type { en } from './en/en.js';
import { languageOf, languages, type Language } from './languages.js';

/** The storage key of the language. `public/boot.js` reads it before the first paint. */
const storageKey = 'language';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

/** Two chunks per language, so that the texts used after sign-in are not loaded before it. */
const dictionaries = {
  en: {
    first: async () => (await import('./en/first.js')).first,
    screens: () => import('./en/screens.js'),
    grid: () => Promise.resolve(undefined),
  },
  zh: {
    first: async () => (await import('./zh/first.js')).first,
    screens: () => import('./zh/screens.js'),
    grid: async () => (await import('./zh/grid.js')).grid,
  },
  ja: {
    first: async () => (await import('./ja/first.js')).first,
    screens: () => import('./ja/screens.js'),
    grid: async () => (await import('./ja/grid.js')).grid,
  },
  fr: {
    first: async () => (await import('./fr/first.js')).first,
    screens: () => import('./fr/screens.js'),
    grid: async () => (await import('./fr/grid.js')).grid,
  },
  ru: {
    first: async () => (await import('./ru/first.js')).first,
    screens: () => import('./ru/screens.js'),
    grid: async () => (await import('./ru/grid.js')).grid,
  },
  vi: {
    first: async () => (await import('./vi/first.js')).first,
    screens: () => import('./vi/screens.js'),
    grid: async () => (await import('./vi/grid.js')).grid,
  },
} satisfies Record<Language, Record<Part, () => Promise<object>> & { grid: () => Promise<GridTexts> }>;

type Part = 'first' | 'screens';
/** Texts of the data grid, undefined for its own, which are English. */
type GridTexts = DataGridProps['localeText'];

/** The parts that the screens of this visit need, in any language. */
const needed = new Set<Part>(['first']);
const loaded = new Set<string>();
const gridTexts = new Map<string, GridTexts>();

/** Returns the texts of the data grid in the current language. */
export const currentGridTexts = (): GridTexts => gridTexts.get(i18next.language);

export function preferredLanguage(): Language {
  return languageOf(readText(storageKey) ?? navigator.language);
}

async function ensureLoaded(language: Language, part: Part): Promise<void> {
  const key = `${language}/${part}`;
  if (loaded.has(key)) return;
  const [texts, grid] = await Promise.all([
    dictionaries[language][part](),
    part === 'screens' ? dictionaries[language].grid() : undefined,
  ]);
  if (grid) gridTexts.set(language, grid);
  i18next.addResourceBundle(language, 'translation', texts, true);
  loaded.add(key);
}

/** Loads the texts that public pages do not use, in the current language. Screens with such texts wait for it. */
export async function loadAllTexts(): Promise<void> {
  needed.add('screens');
  await ensureLoaded(languages.find((language) => language === i18next.language) ?? preferredLanguage(), 'screens');
}

/** Applies a language that is chosen in another tab. */
function followOtherTabs({ key }: StorageEvent): void {
  const language = preferredLanguage();
  if (key === storageKey && language !== i18next.language) void changeLanguage(language, false);
}

export async function startI18n(): Promise<i18n> {
  addEventListener('storage', followOtherTabs);
  const language = preferredLanguage();
  loaded.clear();
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
  await Promise.all([...needed].map((part) => ensureLoaded(language, part)));
  if (remember) writeText(storageKey, language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
