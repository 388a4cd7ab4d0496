export { BillingService } from './billing.service.js';
export { HourlyModelsService } from './hourly-models.service.js';
export {
  assertTimeZone,
  bucketEnd,
  bucketStarts,
  resolveSpan,
  type TimeBucket,
  type WantedRange,
} from './usage-time.js';
export { UsageService } from './usage.service.js';
