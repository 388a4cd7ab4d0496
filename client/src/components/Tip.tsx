import { useEffect, useRef, useState, type FocusEvent, type ReactNode } from 'react';
import { later } from './later.js';

const balloon = later(async () => (await import('./TipBalloon.js')).TipBalloon);
/** Milliseconds the pointer rests before the text shows. */
const delay = 300;

/**
 * The name of an icon button, or more about a word, shown to those who see: beside it when the pointer rests or the
 * keyboard's focus is there. Its balloon is fetched when first needed, with all that computes where it may stand.
 */
export function Tip({
  title,
  description,
  children,
}: {
  readonly title: ReactNode;
  /** The id under which the text describes what is inside, where it says more than its name. */
  readonly description?: string;
  readonly children: ReactNode;
}) {
  const box = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const hide = () => {
    clearTimeout(timer.current);
    setAnchor(null);
  };
  const show = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      setAnchor(box.current);
    }, delay);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <span
      className="tip"
      ref={box}
      onPointerEnter={show}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={(event: FocusEvent<HTMLElement>) => {
        if (event.target.matches(':focus-visible')) show();
      }}
      onBlur={hide}
      onKeyDown={hide}
    >
      {children}
      {description && (
        <span hidden id={description}>
          {title}
        </span>
      )}
      {anchor && title && <balloon.Part anchor={anchor} title={title} isName={description === undefined} />}
    </span>
  );
}
