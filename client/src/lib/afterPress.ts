let pressed = false;
const waiting: (() => void)[] = [];

const release = (): void => {
  pressed = false;
  // The click comes right after the button is let go, before any timer.
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
 * Runs at once, or, while a mouse button is down, after the click it becomes. A field left by pressing a button must not
 * grow a line of error before that button is let go: the button would move away below the pointer and never be clicked.
 */
export function afterPress(run: () => void): void {
  if (pressed) waiting.push(run);
  else run();
}
