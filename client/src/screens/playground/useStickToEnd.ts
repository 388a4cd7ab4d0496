import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** How near to the end, in px, counts as being there. */
const near = 48;

/**
 * Keeps the end of a growing conversation in view, unless the reader scrolled up to read.
 * @param grown changes whenever there is more
 */
export function useStickToEnd(grown: unknown): {
  readonly frame: RefObject<HTMLDivElement | null>;
  /** False: there is more below that the reader has not seen. */
  readonly atEnd: boolean;
  onScroll(): void;
  toEnd(): void;
} {
  const frame = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
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
    const there = element.scrollHeight - element.scrollTop - element.clientHeight < near;
    follows.current = there;
    setAtEnd(there);
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (follows.current && element) element.scrollTop = element.scrollHeight;
  }, [grown]);
  // A keyboard that opens, or a picture that loads, moves the end as well.
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (follows.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    return () => {
      observer.disconnect();
    };
  }, []);
  return { frame, atEnd, onScroll, toEnd };
}
