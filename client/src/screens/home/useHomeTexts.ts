import { useEffect, useState } from 'react';
import { sitePath } from '../../lib/basePath.js';

export interface HomeTexts {
  readonly content: string;
  readonly notice: string;
}

/** Reads a text that everyone may read; empty if it cannot be read. By REST, since the page does without the client of GraphQL. */
async function readText(path: string): Promise<string> {
  try {
    const { data } = (await (await fetch(sitePath(path))).json()) as { data?: unknown };
    return typeof data === 'string' ? data.trim() : '';
  } catch {
    return '';
  }
}

/** The home page and the notice of the admin. Null until they are known. */
export function useHomeTexts(): HomeTexts | null {
  const [texts, setTexts] = useState<HomeTexts | null>(null);
  useEffect(() => {
    let isOver = false;
    void Promise.all([readText('/api/home_page_content'), readText('/api/notice')]).then(([content, notice]) => {
      if (!isOver) setTexts({ content, notice });
    });
    return () => {
      isOver = true;
    };
  }, []);
  return texts;
}
