/** A model a key can call. */
export interface OfferedModel {
  readonly id: string;
  /** The name of the model without a routing prefix. */
  readonly root: string;
  readonly ownedBy: string;
  /** Published limits in tokens; 0: not known. */
  readonly maxInput: number;
  readonly maxOutput: number;
}

/** One page of a list of models. */
export interface ModelPage {
  readonly models: readonly OfferedModel[];
  readonly hasMore: boolean;
}

const maxPage = 1000;

function sizeOf(text: string | null): number {
  const size = Number(text ?? '');
  return Number.isInteger(size) && size > 0 ? Math.min(size, maxPage) : Infinity;
}

const positionOf = (models: readonly OfferedModel[], id: string | null): number =>
  id === null ? -1 : models.findIndex((model) => model.id === id);

/** Reads `limit`, `after_id` and `before_id` of Anthropic. Without a limit, the page contains every model. */
export function anthropicPage(models: readonly OfferedModel[], query: URLSearchParams): ModelPage {
  const size = sizeOf(query.get('limit'));
  const before = positionOf(models, query.get('before_id'));
  if (before >= 0) {
    const start = Math.max(0, before - size);
    return { models: models.slice(start, before), hasMore: start > 0 };
  }
  const start = positionOf(models, query.get('after_id')) + 1;
  return { models: models.slice(start, start + size), hasMore: start + size < models.length };
}

/** Reads `pageSize` and `pageToken` of Google. The token is the id of the last model. */
export function geminiPage(models: readonly OfferedModel[], query: URLSearchParams): ModelPage {
  const size = sizeOf(query.get('pageSize'));
  const start = positionOf(models, query.get('pageToken')) + 1;
  return { models: models.slice(start, start + size), hasMore: start + size < models.length };
}
