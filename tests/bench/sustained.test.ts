import { isSustained } from './sustained.js';

const window = { perSecond: 100, lead: 2, seconds: 3 };
/** Responses to calls that start every 10 ms for five seconds. */
const answered = (latency: number, perSecond = window.perSecond): number[] =>
  Array.from({ length: perSecond * 5 }, (_, call) => (call * 1000) / perSecond + latency);

describe('isSustained', () => {
  it('accepts a server that responds late but keeps up', () => {
    expect(isSustained({ answeredAt: answered(1000), failures: 0 }, window)).toBe(true);
  });

  it('rejects a server whose queue grows, although it answers every call in the end', () => {
    const slower = Array.from({ length: 500 }, (_, call) => (call * 1000) / 98 + 5);
    expect(isSustained({ answeredAt: slower, failures: 0 }, window)).toBe(false);
  });

  it.each([
    [0, true],
    [1, false],
  ])('accepts %p failed calls: %p', (failures, accepted) => {
    expect(isSustained({ answeredAt: answered(5), failures }, window)).toBe(accepted);
  });
});
