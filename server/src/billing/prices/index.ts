export { isLoss, type Loss, priceInstead, worstPrice } from './below-cost.js';
export { builtInCard, currentModels } from './built-in-prices.js';
export {
  boundOfCard,
  chargeOfComponents,
  chargeOfUsage,
  dearestCondition,
  reserveOf,
  roundedUp,
} from './card-charge.js';
export {
  type ChargeCard,
  type Component,
  componentsOf,
  hasLines,
  isTiered,
  linesOfUsage,
  pricedUsage,
  toolsRun,
  mayUseTools,
  usesTools,
} from './card-lines.js';
export {
  type CallCost,
  ChannelCost,
  costNotes,
  type CostNotes,
  costOf,
  costOfLines,
  costOfUsage,
  type CostPrice,
  type SaleLines,
  withOtherCost,
} from './channel-cost.js';
export {
  cardNotes,
  type Formula,
  hourRatio,
  listsLines,
  type Price,
  priceOfRatios,
  priceUnder,
  taskQuantityOf,
  usualTask,
} from './compiled-price.js';
export { type DryRunFigures, type DryRunGap, dryRunGaps } from './dry-run/dry-run-totals.js';
export { type DryRun, DryRunService } from './dry-run/dry-run.service.js';
export type { LoggedCall } from './dry-run/logged-quantities.js';
export { type OtherPrices, rechargeOf } from './dry-run/recharge.js';
export { type EffectivePrice, effectivePrice, type PriceLine, type PriceSource } from './effective-price.js';
export { modelLimits, type ModelLimits } from './model-limits.js';
export { linesOfImages, withoutAdvice, withoutImages } from './other-models.js';
export { callPriceOf, PriceBook, type PriceSettings, unpricedRatio } from './price-book.js';
export { type ProposedSetting, proposedValues } from './price-proposal.js';
export { canonical, pricedBy, type PriceTables, priceTablesOf, priceVersionOf } from './price-version.js';
export { billion, minus, type Rounded, whole } from './rounding.js';
export { PriceDocumentError, type SkippedModel } from './sync/card-collector.js';
export {
  type CurrentPrice,
  type PriceChangeLine,
  priceDiff,
  type PriceDiffKind,
  priceDiffKinds,
  type PriceDiffLine,
  type PriceOffer,
} from './sync/price-diff.js';
export { maxDocumentBytes, type PriceFormat, priceFormats, readPriceDocument } from './sync/price-document.js';
export { imageFactor, type ImageRequest, oneCall, tokensPerMinute, transcriptionTokens } from './table-usage.js';
export { linesOfTranscripts, noTranscripts, type Transcripts } from './transcript-lines.js';
export { type Video, videoCostOf, type VideoPrice, videoPriceOf } from './video-price.js';
