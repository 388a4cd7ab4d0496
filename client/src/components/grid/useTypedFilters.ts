import { useEffect, useRef, useState } from 'react';
import type { GridFilters } from '../../lib/useServerGrid.js';

const pauseMilliseconds = 300;

/** The text in a field that is being edited. */
interface Typing {
  readonly name: string;
  readonly text: string;
  /** The value in the URL that this text belongs to. */
  readonly of: string;
}

/**
 * Filters that are typed. A search applies as one types, after a short pause: a first letter adds an entry to the history, the
 * letters after it do not, so that Back leads to the list without the search. Other filters match whole values, so they
 * apply once, when their field is left or its value is chosen.
 */
export function useTypedFilters<F extends Record<string, string>>({ filter, setFilter }: GridFilters<F>) {
  const [typing, setTyping] = useState<Typing | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const inAddress = (name: string): string => filter[name] ?? '';
  // A change of the URL from elsewhere (Back, a link) wins over the text, the echo of its own change does not: it has no
  // spaces at its ends, which pasted names often have and no row has.
  const current = typing && [typing.of, typing.text.trim()].includes(inAddress(typing.name)) ? typing : null;

  const apply = (name: string, text: string): void => {
    clearTimeout(timer.current);
    const value = text.trim();
    setTyping({ name, text, of: value });
    if (value === inAddress(name)) return;
    const isStep = value === '' || inAddress(name) === '';
    setFilter({ [name]: value } as Partial<F>, isStep ? undefined : { replace: true });
  };
  const latest = useRef(apply);
  useEffect(() => {
    latest.current = apply;
  });
  /** The text that waits for a pause. */
  const pending = useRef<Pick<Typing, 'name' | 'text'> | null>(null);
  const flush = (): void => {
    const waits = pending.current;
    pending.current = null;
    if (waits) latest.current(waits.name, waits.text);
  };
  const hold = (name: string, text: string, isValid: boolean): void => {
    clearTimeout(timer.current);
    setTyping({ name, text, of: inAddress(name) });
    pending.current = isValid ? { name, text } : null;
    if (text === '') flush();
  };
  return {
    /** The text of a field: what is typed, or else the filter. */
    textOf: (name: string): string => (current?.name === name ? current.text : inAddress(name)),
    /** Applies the text of a search after a pause. */
    search: (name: string, text: string): void => {
      hold(name, text, true);
      if (text !== '') timer.current = setTimeout(flush, pauseMilliseconds);
    },
    /** Keeps a text until `finish`. @param isValid whether it can be a filter; another one stays in the field and is not applied */
    hold,
    /** Applies a value that was chosen. It wins over text that was typed into the same field and waits. */
    choose: (name: string, value: string): void => {
      clearTimeout(timer.current);
      if (pending.current?.name === name) pending.current = null;
      flush();
      setTyping(null);
      setFilter({ [name]: value } as Partial<F>);
    },
    /** Applies what waits at once, and ends the editing of the field. */
    finish: (): void => {
      flush();
      setTyping(null);
    },
  };
}
