/** Texts of what a call or a price consists of: the quantities of price cards, and the kinds of older bills. */
export const quantityTexts = {
  input: 'fields.input',
  cacheRead: 'logs.billCacheRead',
  cacheWrite: 'logs.billCacheWrite',
  output: 'fields.output',
  audioInput: 'logs.billAudioInput',
  audioOutput: 'logs.billAudioOutput',
  call: 'logs.billCall',
  cachedInput: 'logs.billCacheRead',
  cacheWrite1h: 'logs.billQuantities.cacheWrite1h',
  reasoning: 'logs.billQuantities.reasoning',
  cachedAudioInput: 'logs.billQuantities.cachedAudioInput',
  imageInput: 'logs.billQuantities.imageInput',
  cachedImageInput: 'logs.billQuantities.cachedImageInput',
  imageOutput: 'logs.billQuantities.imageOutput',
  webSearch: 'logs.billQuantities.webSearch',
  groundedPrompt: 'logs.billQuantities.groundedPrompt',
  fileSearch: 'logs.billQuantities.fileSearch',
  codeExecution: 'logs.billQuantities.codeExecution',
  image: 'logs.billQuantities.image',
  second: 'logs.billQuantities.second',
  page: 'logs.billQuantities.page',
  character: 'logs.billQuantities.character',
  request: 'logs.billCall',
} as const;

export type QuantityName = keyof typeof quantityTexts;

export const isQuantityName = (name: string): name is QuantityName => Object.hasOwn(quantityTexts, name);
