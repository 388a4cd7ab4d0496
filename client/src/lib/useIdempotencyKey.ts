import { useRef } from 'react';

const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Keys for mutations that must happen once. The same input keeps its key, so that pressing the button again after a lost
 * response changes nothing; another input gets a new key.
 */
export function useIdempotencyKey(): (input: unknown) => string {
  const last = useRef({ input: '', key: '' });
  return (input) => {
    const text = JSON.stringify(input);
    if (last.current.key === '' || last.current.input !== text) last.current = { input: text, key: newKey() };
    return last.current.key;
  };
}
