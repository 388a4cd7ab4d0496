import { sitePath } from './basePath.js';

/** Loads the page again, with the files of the build that the server has now. */
export const reloadPage = (): void => location.reload();

/** Whether the server can be reached. */
export async function isServerReachable(): Promise<boolean> {
  try {
    await fetch(sitePath('/'), { method: 'HEAD', cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}
