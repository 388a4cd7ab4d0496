import { underWay, whenIdle } from './idle.js';

describe('what nobody waits for', () => {
  beforeEach(() => {
    jest.useFakeTimers();
    // jsdom has none, as Safari; the page is at rest in the next moment.
    Object.assign(globalThis, {
      requestIdleCallback: (go: () => void) => setTimeout(go),
      cancelIdleCallback: clearTimeout,
    });
  });
  afterEach(() => {
    jest.useRealTimers();
    Object.assign(globalThis, { requestIdleCallback: undefined, cancelIdleCallback: undefined });
  });

  it('is done as soon as the page is at rest', () => {
    const work = jest.fn();
    whenIdle(work);
    jest.advanceTimersByTime(1);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('waits until everything has come that somebody waits for', () => {
    const work = jest.fn();
    const [first, second] = [underWay(), underWay()];
    whenIdle(work);
    first();
    first();
    jest.advanceTimersByTime(100);
    expect(work).not.toHaveBeenCalled();
    second();
    jest.advanceTimersByTime(1);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('does not wait for ever, and is not done twice then', () => {
    const work = jest.fn();
    const end = underWay();
    whenIdle(work);
    jest.advanceTimersByTime(5001);
    end();
    jest.advanceTimersByTime(100);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it.each([true, false])('can be stopped, also while it waits: %s', (waits) => {
    const work = jest.fn();
    const end = waits ? underWay() : () => undefined;
    whenIdle(work)();
    end();
    jest.advanceTimersByTime(6000);
    expect(work).not.toHaveBeenCalled();
  });

  it('is done a little later where browsers have no word for rest', () => {
    Object.assign(globalThis, { requestIdleCallback: undefined });
    const work = jest.fn();
    whenIdle(work);
    jest.advanceTimersByTime(499);
    expect(work).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
