import DataLoader from 'dataloader';
import { requireScope, type AccessScope, type MaybeActor } from '../../shared/actor.js';

/** A service that reads rows by id in one statement. It checks the actor's rights: rows they may not see are left out. */
export interface BatchSource<Row> {
  readMany(actor: MaybeActor, ids: readonly number[]): Promise<readonly Row[]>;
}

/** The loaders of one request. Each source and each kind of page has one. */
export class Loaders {
  /** @param cache false for subscriptions, whose context lives long: rows are still read in batches, but each time */
  constructor(private readonly cache = true) {}

  private readonly byId = new WeakMap<object, DataLoader<number, unknown>>();
  private readonly byOwner = new Map<string, DataLoader<number, unknown>>();
  private readonly names = new WeakMap<object, number>();
  private sources = 0;

  /** Batches reads of single rows by id during one request. Ids without a row give null. */
  one<Row extends { readonly id: number }>(
    source: BatchSource<Row>,
    actor: MaybeActor,
  ): DataLoader<number, Row | null> {
    const known = this.byId.get(source);
    if (known) return known as DataLoader<number, Row | null>;
    const loader = new DataLoader<number, Row | null>(
      async (ids) => {
        const rows = new Map((await source.readMany(actor, ids)).map((row) => [row.id, row]));
        return ids.map((id) => rows.get(id) ?? null);
      },
      { cache: this.cache },
    );
    this.byId.set(source, loader);
    return loader;
  }

  /** @param key identifies the query of this source, with its arguments */
  many<Result>(
    source: object,
    key: string,
    read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Result>>,
  ): DataLoader<number, Result | null> {
    const name = this.names.get(source) ?? this.sources++;
    this.names.set(source, name);
    const known = this.byOwner.get(`${name} ${key}`);
    if (known) return known as DataLoader<number, Result | null>;
    const loader = new DataLoader<number, Result | null>(
      async (ids) => {
        const results = await read(ids);
        return ids.map((id) => results.get(id) ?? null);
      },
      { cache: this.cache },
    );
    this.byOwner.set(`${name} ${key}`, loader);
    return loader;
  }
}

/** The part of the request context that relations need. */
interface LoaderContext {
  readonly actor: MaybeActor;
  readonly loaders: Loaders;
}

/**
 * Resolves a relation to one row: `loadOne(context, this.userService, token.userId)`. All relations of a request that
 * use the same source are read in one statement.
 * @param scope what a named access token needs to follow the relation
 * @returns null for no id, and for a row that is gone or that the caller may not see
 */
export async function loadOne<Row extends { readonly id: number }>(
  context: LoaderContext,
  source: BatchSource<Row>,
  id: number | null | undefined,
  scope: AccessScope = 'ACCOUNT_READ',
): Promise<Row | null> {
  if (!id) return null;
  requireScope(context.actor, scope);
  return context.loaders.one(source, context.actor).load(id);
}

/**
 * Resolves rows that belong to a parent row, such as a user's tokens, for all parents of the request at once.
 * @param args distinguish different queries of one source
 */
export async function loadFor<Result>(
  context: LoaderContext,
  source: object,
  { name, args = {}, scope = 'ACCOUNT_READ' }: { name: string; args?: object; scope?: AccessScope },
  id: number,
  read: (ids: readonly number[]) => Promise<ReadonlyMap<number, Result>>,
): Promise<Result | null> {
  requireScope(context.actor, scope);
  return context.loaders.many(source, `${name} ${JSON.stringify(args)}`, read).load(id);
}
