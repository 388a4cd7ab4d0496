import { afterPress } from './afterPress.js';

it('runs at once while nothing is pressed', () => {
  const run = jest.fn();
  afterPress(run);
  expect(run).toHaveBeenCalledTimes(1);
});

it.each(['pointerup', 'pointercancel'])('waits for the end of a press, and for the click of it: %s', async (end) => {
  const order: string[] = [];
  document.body.addEventListener('click', () => order.push('click'), { once: true });
  document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
  afterPress(() => order.push('run'));
  expect(order).toEqual([]);
  document.body.dispatchEvent(new Event(end, { bubbles: true }));
  document.body.dispatchEvent(new Event('click', { bubbles: true }));
  await new Promise((done) => setTimeout(done));
  expect(order).toEqual(['click', 'run']);
  afterPress(() => order.push('later'));
  expect(order).toEqual(['click', 'run', 'later']);
});
