/** Quantities that have a price per million tokens. */
export const tokenQuantities = [
  'input',
  'cachedInput',
  'cacheWrite',
  'cacheWrite1h',
  'output',
  'reasoning',
  'audioInput',
  'cachedAudioInput',
  'audioOutput',
  'imageInput',
  'cachedImageInput',
  'imageOutput',
] as const;

/** Work of tools that a provider runs. */
const toolQuantities = ['webSearch', 'groundedPrompt', 'mapsPrompt', 'fileSearch', 'codeExecution'] as const;

/** Units that models without a price of tokens sell. */
export const productQuantities = ['image', 'second', 'page', 'character', 'request'] as const;

/** Quantities that have a price each. */
export const unitQuantities = [...toolQuantities, ...productQuantities] as const;

export const quantities = [...tokenQuantities, ...unitQuantities] as const;
export type Quantity = (typeof quantities)[number];

/** Resolutions of videos. In each, a second may have a price of its own. */
export const resolutions = ['480p', '720p', '1080p', '2k', '4k'] as const;
export type Resolution = (typeof resolutions)[number];

export const serviceTiers = [
  'flex',
  'priority',
  'batch',
  'fast',
  'ultrafast',
  'us',
  'fast_us',
  'search_medium',
  'search_high',
  'off_peak',
  ...resolutions,
] as const;
export type ServiceTier = (typeof serviceTiers)[number];

export const isResolution = (tier: string): tier is Resolution => (resolutions as readonly string[]).includes(tier);
