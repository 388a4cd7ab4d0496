/**
 * Whether a click on a row was on a control inside it, and does not open the row. A touch on a chip with a tooltip shows
 * the tooltip; with a mouse it is shown before the click.
 */
export function isControl({
  target,
  nativeEvent,
}: {
  readonly target: EventTarget;
  readonly nativeEvent: Event;
}): boolean {
  if (!(target instanceof Element)) return false;
  const isTouch = (nativeEvent as Partial<PointerEvent>).pointerType === 'touch';
  const explained = isTouch ? ', .tone-explained' : '';
  return target.closest(`button, a, input, label, [role="button"], [role="menu"]${explained}`) !== null;
}
