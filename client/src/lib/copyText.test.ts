import { copyText } from './copyText.js';

/** The clipboard after a copy on a page without `navigator.clipboard`. */
let copied: string | null = null;

/** Imitates a browser that copies the selection when a page asks for it. */
const copiesSelection = (): boolean => {
  const clipboardData = { setData: (_type: string, text: string) => (copied = text) };
  document.dispatchEvent(Object.assign(new Event('copy', { bubbles: true, cancelable: true }), { clipboardData }));
  return true;
};
const execCommand = (command?: (name: string) => boolean) =>
  Object.defineProperty(document, 'execCommand', { configurable: true, value: command });

beforeEach(() => {
  copied = null;
});
afterAll(() => execCommand());

it('copies without HTTPS, and leaves neither a text nor a selection on the page', async () => {
  execCommand(copiesSelection);
  document.body.innerHTML = '<p>page</p>';
  expect(await copyText('sk-one\nsk-two')).toBe(true);
  expect(copied).toBe('sk-one\nsk-two');
  expect(document.body.innerHTML).toBe('<p>page</p>');
  expect(getSelection()?.rangeCount).toBe(0);
  // A copy by the user does not change this variable.
  copied = null;
  const own = new Event('copy', { bubbles: true, cancelable: true });
  document.body.dispatchEvent(own);
  expect([copied, own.defaultPrevented]).toEqual([null, false]);
});

it.each([
  ['refuses the command', () => false],
  ['knows no such command', undefined],
])('says so when the browser %s', async (_, command) => {
  execCommand(command);
  expect(await copyText('sk-one')).toBe(false);
});

it('takes the clipboard of the browser where there is one', async () => {
  execCommand(() => {
    throw new Error('not needed');
  });
  const writeText = jest.fn(async () => undefined);
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } });
  expect(await copyText('sk-one')).toBe(true);
  expect(writeText).toHaveBeenCalledWith('sk-one');
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined });
});
