import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** Distance from the end, in px, that still counts as the end. */
const near = 48;

/**
 * Keeps the end of a growing conversation in view, unless the user scrolled up.
 * @param grown changes whenever content was added
 */
export function useStickToEnd(grown: unknown): {
  readonly frame: RefObject<HTMLDivElement | null>;
  /** False: there is unseen content below. */
  readonly atEnd: boolean;
  onScroll(): void;
  toEnd(): void;
} {
  const frame = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const [atEnd, setAtEnd] = useState(true);
  const toEnd = useCallback(() => {
    follows.current = true;
    setAtEnd(true);
    const element = frame.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  const onScroll = useCallback(() => {
    const element = frame.current;
    if (!element) return;
    const { scrollHeight, scrollTop, clientHeight } = element;
    if (scrollHeight - scrollTop - clientHeight < near) follows.current = true;
    // An image that loads before the event of the last scroll moves the end, too. Only the user scrolls up.
    else if (scrollTop < lastTop.current) follows.current = false;
    lastTop.current = scrollTop;
    setAtEnd(follows.current);
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (follows.current && element) element.scrollTop = element.scrollHeight;
  }, [grown]);
  // An opening keyboard or a loading image moves the end as well.
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => observer.disconnect();
  }, []);
  return { frame, atEnd, onScroll, toEnd };
}
