import { parsePriceCard } from './price-card-input.js';
import { recordedTier, reportedTier, resolutionTier, resolutions } from './price-card.js';

describe('the resolution of a video', () => {
  it.each([
    ['480p', '480p', '854x480', '640x640', '832x480'],
    ['720p', '720P', '768p', '1280x720', '720x1280', '960x960', '1366x768'],
    ['1080p', '1080p', '1920x1080', '1024x1792', '1792x1024', '1440x1440'],
    ['2k', '2K', '1440p', '2560x1440'],
    ['4k', '4K', '2160p', '3840x2160', '4096X2160'],
  ])('is %s for %s', (resolution, ...names) => {
    expect(names.map((name) => [name, resolutionTier(name)])).toEqual(names.map((name) => [name, resolution]));
  });

  it.each([undefined, null, 720, '', 'auto', '16:9', '720', '720x', 'constructor', '123456x1'])(
    'is unknown for %j',
    (name) => {
      expect(resolutionTier(name)).toBeUndefined();
    },
  );

  it('is no tier that a provider reports of a call, and one that a log row names', () => {
    expect(resolutions.map(reportedTier)).toEqual(resolutions.map(() => undefined));
    expect(resolutions.map(recordedTier)).toEqual(resolutions);
    expect(reportedTier('flex')).toBe('flex');
  });
});

describe('a card', () => {
  const prices = { second: 0.4 };

  it('prices a second by resolution', () => {
    const card = { prices, services: { '480p': {}, '4k': { prices: { second: 0.6 } } } };
    expect(parsePriceCard(card)).toEqual(card);
  });

  it.each([
    [{ prices, services: { '4k': { factor: 2 } } }, /services\.4k: Unrecognized key: "factor"/],
    [{ prices, services: { '4k': { prices: { input: 1 } } } }, /services\.4k\.prices: Unrecognized key: "input"/],
    [{ prices, services: { '4k': { prices: { second: -1 } } } }, /services\.4k\.prices\.second: must not be negative/],
    [{ prices, services: { '8k': { prices } } }, /services: Unrecognized key: "8k"/],
    [
      { prices, contextTiers: [{ above: 1, prices, services: { '4k': { prices } } }] },
      /contextTiers\.0\.services: Unrecognized key: "4k"/,
    ],
  ])('is refused where a resolution prices anything else: %j', (card, message) => {
    expect(() => parsePriceCard(card)).toThrow(message);
  });
});
