import { fireEvent, render, screen } from '@testing-library/react';
import { useStickToEnd } from './useStickToEnd.js';

let resized: ResizeObserverCallback;
beforeEach(() => {
  globalThis.ResizeObserver = class implements ResizeObserver {
    constructor(callback: ResizeObserverCallback) {
      resized = () => callback([], this);
    }
    observe() {}
    unobserve() {}
    disconnect() {}
  };
});

function Log({ grown }: { readonly grown: number }) {
  const { frame, atEnd, onScroll } = useStickToEnd(grown);
  return (
    <div ref={frame} role="log" onScroll={onScroll}>
      {atEnd ? 'follows' : 'stays'}
    </div>
  );
}

/** A log of 500 px with 1000 px of content, at its end. */
function begin() {
  const { rerender } = render(<Log grown={0} />);
  const log = screen.getByRole('log');
  const grow = (scrollHeight: number) =>
    Object.defineProperties(log, {
      scrollHeight: { value: scrollHeight, configurable: true },
      clientHeight: { value: 500, configurable: true },
    });
  const scroll = (top: number) => {
    log.scrollTop = top;
    fireEvent.scroll(log);
  };
  grow(1000);
  rerender(<Log grown={1} />);
  scroll(500);
  return { log, grow, scroll };
}

it('follows an image that loads before the event of the last scroll', () => {
  const { log, grow } = begin();
  grow(1400);
  fireEvent.scroll(log);
  expect(log).toHaveTextContent('follows');
  resized([], {} as ResizeObserver);
  expect(log.scrollTop).toBe(1400);
});

it('stays where the user scrolled up to, until they reach the end', () => {
  const { log, grow, scroll } = begin();
  scroll(200);
  expect(log).toHaveTextContent('stays');
  grow(1400);
  resized([], {} as ResizeObserver);
  scroll(300);
  expect(log.scrollTop).toBe(300);
  expect(log).toHaveTextContent('stays');
  scroll(890);
  expect(log).toHaveTextContent('follows');
});
