import { readText, writeText } from './storage.js';

/** Storage key of the notice that was read last. */
const storageKey = 'notice';

/** Whether the site's notice is empty or was read; a changed text is unread again. */
export const isNoticeRead = (text: string): boolean => text === '' || text === readText(storageKey);

export const markNoticeRead = (text: string): void => writeText(storageKey, text);
