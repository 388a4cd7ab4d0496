import { useEffect, useRef, useState, type FocusEvent, type ReactNode } from 'react';
import Box from '@mui/material/Box';
import { later } from './later.js';

const balloon = later(async () => (await import('./TipBalloon.js')).TipBalloon);
/** Milliseconds the pointer rests before the text shows. */
const delay = 300;

/**
 * The name of an icon button, shown to those who see: beside it when the pointer rests or the keyboard's focus is there.
 * For the bar that every page has; its balloon is fetched when first needed, with all that computes where it may stand.
 */
export function Tip({ title, children }: { readonly title: string; readonly children: ReactNode }) {
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
    <Box
      component="span"
      ref={box}
      sx={{ display: 'inline-flex' }}
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
      {anchor && <balloon.Part anchor={anchor} title={title} />}
    </Box>
  );
}
