import { readJson, writeJson } from './storage.js';

/** Filters, sort order and page size of a list, under a name. */
export interface SavedView {
  readonly name: string;
  /** The query of the URL, without `?`. */
  readonly search: string;
}

/** Parameters of the position within a list, which do not identify the list. */
const passing = ['page', 'row', 'rowAt', 'tokens', 'sessions', 'section'];
const maxViews = 30;

const storageKey = (list: string): string => `views:${list}`;

/** Returns the list of an address: `/channel` also for `/channel/edit/7`. */
export const listOf = (pathname: string): string => `/${pathname.split('/')[1] ?? ''}`;

/** The part of the URL's search that a view keeps, in one order. */
export function searchOfView(search: string): string {
  const params = new URLSearchParams(search);
  for (const name of passing) params.delete(name);
  params.sort();
  return params.toString();
}

/** The views of a list, in the order in which they were saved. */
export function readViews(list: string): readonly SavedView[] {
  const stored = readJson(storageKey(list));
  return Array.isArray(stored) ? stored.filter(isView) : [];
}

/** Adds a view, or replaces the one of the same name. */
export function saveView(list: string, { name, search }: SavedView): readonly SavedView[] {
  const others = readViews(list).filter((view) => view.name !== name);
  const views = [...others, { name, search: searchOfView(search) }].slice(-maxViews);
  writeJson(storageKey(list), views);
  return views;
}

export function removeView(list: string, name: string): readonly SavedView[] {
  const views = readViews(list).filter((view) => view.name !== name);
  writeJson(storageKey(list), views);
  return views;
}

const isView = (value: unknown): value is SavedView => {
  const { name, search } = (value ?? {}) as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === 'string' && name !== '' && typeof search === 'string';
};
