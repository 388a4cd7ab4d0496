import type { Charge } from '../../billing/ledger/index.js';
import {
  costNotes,
  costOf,
  taskQuantityOf,
  type Video,
  videoCostOf,
  type VideoPrice,
} from '../../billing/prices/index.js';
import { recordedAddress, type Caller } from '../../gateway/admit/authentication.js';
import type { CallRoute } from '../../gateway/route/call-route.js';
import type { OptionValues } from '../../options/option.service.js';
import type { SubmissionWatch, WatchNotes } from './submission-watch.js';
import type { TaskTarget } from './task-target.js';

/** The price of a task. */
export interface TaskPrice {
  readonly modelPrice: number;
  /** The name of the price tables that it comes from. */
  readonly version: string;
  readonly groupRatio: number;
  readonly quotaPerUnit: number;
  readonly quota: number;
  /** `plan_overflow` of the log row. Undefined when the balance does not pay in place of a plan. */
  readonly overflow: object | undefined;
}

/** A submission with the channel that accepted it. */
interface RoutedTask {
  readonly watch: Pick<SubmissionWatch, 'address'>;
  readonly caller: Caller;
  readonly route: CallRoute;
  readonly target: TaskTarget;
}

interface Priced extends RoutedTask {
  readonly price: TaskPrice;
}

/** A video submission with its price. */
interface PricedVideo extends RoutedTask {
  readonly video: Video;
  readonly price: VideoPrice;
  /** Fields that were not sent to the provider. */
  readonly dropped: readonly string[];
}

type LogSwitch = Pick<OptionValues, 'LogConsumeEnabled'>;

/**
 * Returns the charge of a task.
 * @param details text of the log row, appended to the price
 * @param notes for admins
 */
export function chargeOfTask(routed: Priced, details: string, notes: WatchNotes, values: LogSwitch): Charge {
  const { modelPrice, groupRatio, quotaPerUnit, quota, version, overflow } = routed.price;
  const { target, route } = routed;
  const found = target.cost.find(route.bareModel, route.bareModel);
  const quantity = found && taskQuantityOf(found.card);
  const cost = quantity ? costOf(found, { counts: [[quantity, 1]], when: null }) : null;
  return chargeOf(routed, values, {
    quota,
    usd: cost?.usd,
    content: `fixed price ${modelPrice.toFixed(2)}, group ratio ${groupRatio.toFixed(2)}${details}`,
    other: {
      task: true,
      model_price: modelPrice,
      group_ratio: groupRatio,
      quota_per_unit: quotaPerUnit,
      price_version: version,
      plan_overflow: overflow,
    },
    notes: { ...(cost ? costNotes(cost, null) : {}), ...notes },
  });
}

/**
 * Returns the charge of a video.
 * @param upstreamModel the model that the provider was asked for
 * @param notes for admins
 */
export function chargeOfVideo(
  routed: PricedVideo,
  upstreamModel: string,
  notes: WatchNotes,
  values: LogSwitch,
): Charge {
  const { price, video, target, route } = routed;
  const { quota, content } = price;
  const other = { ...price.other, ...(routed.dropped.length > 0 ? { dropped_parameters: routed.dropped } : {}) };
  const found = target.cost.find(upstreamModel, route.bareModel);
  const cost = found && videoCostOf(found, video, price.sale);
  return chargeOf(routed, values, { quota, usd: cost?.usd, content, other, notes: { ...cost?.notes, ...notes } });
}

/** @param sold the charge; its notes are for admins, and without notes the row has no `admin_info` */
function chargeOf(
  { watch, caller, route, target }: RoutedTask,
  values: LogSwitch,
  sold: {
    readonly quota: number;
    readonly usd: number | undefined;
    readonly content: string;
    readonly other: Readonly<Record<string, unknown>>;
    readonly notes: object;
  },
): Charge {
  const { quota, usd, content, other, notes } = sold;
  return {
    quota,
    upstreamUsd: usd,
    counted: quota !== 0,
    logged: values.LogConsumeEnabled,
    channelId: target.channelId,
    username: caller.user.username,
    tokenName: caller.token.name,
    modelName: route.model,
    group: route.group,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    durationMs: 0,
    isStream: false,
    content,
    other: {
      ...other,
      ip: recordedAddress(caller, watch.address),
      ...(Object.keys(notes).length > 0 ? { admin_info: notes } : {}),
    },
  };
}
