import {
  getDirectiveValues,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type GraphQLResolveInfo,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

type Info = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'variableValues'>;

/**
 * Whether the client selects a field anywhere below the resolved one. Used for values that are expensive and rarely
 * needed. Selections that `@skip` or `@include` leave out do not count.
 */
export function asksFor(info: Info, field: string): boolean {
  const isIncluded = (node: SelectionNode): boolean =>
    getDirectiveValues(GraphQLSkipDirective, node, info.variableValues)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, info.variableValues)?.['if'] !== false;
  const asks = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((selection) => {
      if (!isIncluded(selection)) return false;
      if (selection.kind === Kind.FIELD) return selection.name.value === field || asks(selection.selectionSet);
      if (selection.kind === Kind.INLINE_FRAGMENT) return asks(selection.selectionSet);
      return asks(info.fragments[selection.name.value]?.selectionSet);
    }) ?? false;
  return info.fieldNodes.some(({ selectionSet }) => asks(selectionSet));
}
