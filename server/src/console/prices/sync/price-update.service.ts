import type { EntityManager, Repository } from 'typeorm';
import { requirePermission, type Actor, type MaybeActor } from '../../../shared/actor.js';
import { ConflictError, InvalidInputError, NotFoundError } from '../../../shared/errors.js';
import { storableJson } from '../../../shared/json.js';
import type { PriceCard } from '../../../shared/price-card.js';
import type { OptionService, OptionValues } from '../../../options/option.service.js';
import { canonical, type PriceDiffLine, priceVersionOf } from '../../../billing/prices/index.js';
import type { PriceCheckService, PriceTerms } from './price-check.service.js';
import type { PriceCheck } from './price-check.entity.js';
import type { PriceUpdate, ChangedCards } from './price-update.entity.js';

/** A line of a comparison that is to become a price. */
export interface PriceChoice {
  readonly model: string;
  /** The source whose price is used. It is required if the sources disagree. */
  readonly source?: string | null;
}

export interface PriceUpdateDeps {
  readonly updates: Repository<PriceUpdate>;
  readonly checks: PriceCheckService;
  readonly options: Pick<OptionService, 'change'> & { readonly values: OptionValues };
}

type Cards = OptionValues['PriceCards'];

const maxChoices = 5000;
const shownUpdates = 20;

/** Applies prices of sources to the site, and undoes that. For the super admin. */
export class PriceUpdateService {
  constructor(private readonly deps: PriceUpdateDeps) {}

  /**
   * Sets a card for each chosen model, as one version of the prices. A model that is GONE loses its card.
   * @returns null when the prices are these already
   * @throws AppError INSUFFICIENT_PRIVILEGES, NOT_FOUND (check), INVALID_INPUT (a model that the check does not have, or
   * sources that disagree without a choice)
   */
  async apply(
    actor: MaybeActor,
    checkId: number,
    terms: PriceTerms,
    choices: readonly PriceChoice[],
  ): Promise<PriceUpdate | null> {
    const root = requirePermission(actor, 'prices.sync');
    if (choices.length === 0) throw new InvalidInputError('Choose a model', 'choices');
    if (choices.length > maxChoices)
      throw new InvalidInputError(`At most ${maxChoices} models can be chosen`, 'choices');
    const check = await this.deps.checks.get(root, checkId);
    const lines = new Map((await this.deps.checks.lines(root, check, terms)).map((line) => [line.model, line]));
    const chosen = choices.map(({ model, source }) => {
      const line = lines.get(model);
      if (!line)
        throw new InvalidInputError(
          `The check does not have the model ${JSON.stringify(model.slice(0, 80))}`,
          'choices',
        );
      return [model, cardOf(line, source ?? null, check)] as const;
    });
    const markup = terms.markup ?? this.deps.options.values.PriceSyncMarkup;
    return this.write(root, markup, new Map(chosen));
  }

  /**
   * Restores the cards that the models of an update had before. Other models keep their prices, so the earlier version
   * is current again if nothing else changed.
   * @throws AppError INSUFFICIENT_PRIVILEGES, NOT_FOUND, CONFLICT when a card was changed after the update
   */
  async undo(actor: MaybeActor, id: number): Promise<PriceUpdate> {
    const root = requirePermission(actor, 'prices.sync');
    const { updates, options } = this.deps;
    const update = await updates.findOneBy({ id });
    if (!update) throw new NotFoundError('Price update', id);
    await options.change(root, 'PriceCards', async (current, manager) => {
      const [claimed] = await manager.query<[unknown[], number]>(
        'UPDATE price_updates SET undone_at = now() WHERE id = $1 AND undone_at IS NULL RETURNING id',
        [id],
      );
      if (claimed.length === 0) return null;
      const changed = Object.entries(update.after).filter(([model, card]) => !isSame(ownCard(current, model), card));
      if (changed.length > 0) {
        const names = changed.slice(0, 3).map(([model]) => model);
        throw new ConflictError(`Prices were changed after this update: ${names.join(', ')}`);
      }
      return withCards(current, update.before);
    });
    return updates.findOneByOrFail({ id });
  }

  /**
   * Returns the last updates, the newest first.
   * @throws AppError INSUFFICIENT_PRIVILEGES
   */
  async list(actor: MaybeActor): Promise<PriceUpdate[]> {
    requirePermission(actor, 'prices.sync');
    return this.deps.updates.find({ order: { id: 'DESC' }, take: shownUpdates });
  }

  private async write(
    root: Actor,
    markup: number,
    chosen: ReadonlyMap<string, PriceCard | null>,
  ): Promise<PriceUpdate | null> {
    const { options, updates } = this.deps;
    let id: number | null = null;
    await options.change(root, 'PriceCards', async (current, manager) => {
      const changed = [...chosen].filter(([model, card]) => !isSame(ownCard(current, model), card));
      if (changed.length === 0) return null;
      const before = Object.fromEntries(changed.map(([model]) => [model, ownCard(current, model)]));
      const after = Object.fromEntries(changed);
      const next = withCards(current, after);
      id = await this.insert(manager, root, markup, { before, after, current, next });
      return next;
    });
    return id === null ? null : updates.findOneByOrFail({ id });
  }

  private async insert(
    manager: EntityManager,
    root: Actor,
    markup: number,
    { before, after, current, next }: { before: ChangedCards; after: ChangedCards; current: Cards; next: Cards },
  ): Promise<number> {
    const versionOf = (PriceCards: Cards): string => priceVersionOf({ ...this.deps.options.values, PriceCards });
    const [row] = await manager.query<Array<{ id: number }>>(
      `INSERT INTO price_updates (created_by, markup, before, after, version_before, version_after)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
      [root.id, markup, storableJson(before), storableJson(after), versionOf(current), versionOf(next)],
    );
    if (!row) throw new Error('the update was not stored');
    return row.id;
  }
}

/** @returns null when the model loses its card */
function cardOf({ model, kind, offers }: PriceDiffLine, source: string | null, check: PriceCheck): PriceCard | null {
  if (kind === 'GONE') return null;
  if (kind === 'DISAGREE' && source === null) {
    throw new InvalidInputError(`The sources disagree on ${model}: choose one`, 'choices');
  }
  const offer = source === null ? offers[0] : offers.find((one) => one.source === source);
  if (!offer) throw new InvalidInputError(`This source does not have the model ${model}`, 'choices');
  return { ...offer.card, source: offer.source, asOf: check.createdAt.toISOString().slice(0, 10) };
}

const ownCard = (cards: Cards, model: string): PriceCard | 'built-in' | null =>
  Object.hasOwn(cards, model) ? (cards[model] ?? null) : null;

const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(canonical(left)) === JSON.stringify(canonical(right));

/** Returns the cards with the changes applied; null removes a card. */
const withCards = (cards: Cards, changes: ChangedCards): Cards =>
  Object.fromEntries(
    Object.entries({ ...cards, ...changes }).filter(
      (entry): entry is [string, PriceCard | 'built-in'] => entry[1] !== null,
    ),
  );
