let pressed = false;
const waiting: (() => void)[] = [];

const release = (): void => {
  pressed = false;
  // The click event follows immediately after the button is released, before any timer.
  setTimeout(() => {
    for (const run of waiting.splice(0)) run();
  });
};

addEventListener(
  'pointerdown',
  () => {
    pressed = true;
  },
  true,
);
addEventListener('pointerup', release, true);
addEventListener('pointercancel', release, true);

/**
 * Runs at once or, while a mouse button is down, after the click. If a press on a button blurs a field, the field's
 * error line must not appear before the release: it would move the button away from the pointer, and the click would be
 * lost.
 */
export function afterPress(run: () => void): void {
  if (pressed) waiting.push(run);
  else run();
}
