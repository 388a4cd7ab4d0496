/** Local storage that never throws: it may be forbidden, full, or hold values of other programs. */
export function readText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeText(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Local storage is unavailable, so the value exists only until the page is left.
  }
}

/** @returns undefined when absent or not JSON; the caller checks the shape */
export function readJson(key: string): unknown {
  const text = readText(key);
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const writeJson = (key: string, value: unknown): void => writeText(key, JSON.stringify(value));
