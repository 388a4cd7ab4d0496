import { parsePriceCard } from './price-card-input.js';
import { conditionOf, conditions, resolutionNamed, resolutions, whenTier } from './price-condition.js';

describe('the resolution of a video', () => {
  it.each([
    ['480p', '480p', '854x480', '640x640', '832x480'],
    ['720p', '720P', '768p', '1280x720', '720x1280', '960x960', '1366x768'],
    ['1080p', '1080p', '1920x1080', '1024x1792', '1792x1024', '1440x1440'],
    ['2k', '2K', '1440p', '2560x1440'],
    ['4k', '4K', '2160p', '3840x2160', '4096X2160'],
  ])('is %s for %s', (resolution, ...names) => {
    expect(names.map((name) => [name, resolutionNamed(name)])).toEqual(names.map((name) => [name, resolution]));
  });

  it.each([undefined, null, 720, '', 'auto', '16:9', '720', '720x', 'constructor', '123456x1'])(
    'is unknown for %j',
    (name) => {
      expect(resolutionNamed(name)).toBeUndefined();
    },
  );

  it('is no tier that a provider reports of a call', () => {
    expect(resolutions.map(whenTier)).toEqual(resolutions.map(() => undefined));
    expect(whenTier('flex')).toEqual({ tier: 'flex' });
  });
});

describe('a condition', () => {
  it('is read from a log row', () => {
    expect(conditions.map((when) => conditionOf(JSON.parse(JSON.stringify(when))))).toEqual(conditions);
  });

  it.each([
    undefined,
    null,
    'flex',
    [],
    {},
    { tier: 'standard' },
    { tier: ['flex'] },
    { tier: { toString: null } },
    { tier: 'flex', region: 'us' },
    { tier: 'flex', size: 'high' },
    { resolution: '4k', tier: 'flex' },
  ])('is not %j', (value) => {
    expect(conditionOf(value)).toBeUndefined();
  });
});

describe('a card', () => {
  const prices = { second: 0.4 };

  it('prices a second by resolution', () => {
    const card = {
      prices,
      variants: [{ when: { resolution: '480p' } }, { when: { resolution: '4k' }, prices: { second: 0.6 } }],
    };
    expect(parsePriceCard(card)).toEqual(card);
  });

  it.each([
    [
      { prices, variants: [{ when: { resolution: '4k' }, factor: 2 }] },
      /variants\.0: a resolution has prices of videos only/,
    ],
    [
      { prices, variants: [{ when: { resolution: '4k' }, prices: { input: 1 } }] },
      /variants\.0: a resolution has prices of videos only/,
    ],
    [
      { prices, variants: [{ when: { resolution: '4k' }, prices: { second: -1 } }] },
      /variants\.0\.prices\.second: must not be negative/,
    ],
    [{ prices, variants: [{ when: { resolution: '8k' }, prices }] }, /variants\.0\.when\.resolution: Invalid option/],
    [
      { prices, contextTiers: [{ above: 1, prices, variants: [{ when: { resolution: '4k' }, prices }] }] },
      /contextTiers\.0\.variants\.0: videos have no prompt tokens/,
    ],
    [
      { prices, variants: [{ when: { tier: 'flex', region: 'us' }, factor: 2 }] },
      /variants\.0\.when: must be one condition, or tier fast and region us/,
    ],
    [
      {
        prices,
        variants: [
          { when: { tier: 'flex' }, factor: 2 },
          { when: { tier: 'flex' }, factor: 3 },
        ],
      },
      /variants\.1\.when: is there twice/,
    ],
    [{ prices, variants: [{ factor: 2 }] }, /variants\.0\.when: Invalid input/],
  ])('is refused with a variant that no call can have: %j', (card, message) => {
    expect(() => parsePriceCard(card)).toThrow(message);
  });
});
