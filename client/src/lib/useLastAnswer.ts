import { useState } from 'react';

interface Answer<T> {
  readonly question: string;
  readonly data: T;
}

/**
 * Keeps the response to the last query while another query loads. The response also stays if it could not be refreshed.
 * It is dropped if a different query failed, because it would look like the response to that one.
 * @param data undefined while there is no response
 * @param question the filters behind `data`, without the page and without a moment that moves with every refresh
 */
export function useLastAnswer<T>(data: T | undefined, error: unknown, question: string): T | undefined {
  const [last, setLast] = useState<Answer<T> | null>(null);
  if (data !== undefined) {
    if (last?.data !== data || last.question !== question) setLast({ question, data });
    return data;
  }
  if (error && last && last.question !== question) {
    setLast(null);
    return undefined;
  }
  return last?.data;
}
