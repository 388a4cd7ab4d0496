import type { GraphQLSchema } from 'graphql';
import { buildSchema, type ClassType, type PubSub } from 'type-graphql';

/** Something with TypeGraphQL's `@Resolver` on its class. */
export type ResolverClass = ClassType;

/**
 * @param classes every resolver class
 * @param instances the same, built; without them the schema can be printed and not run
 */
export function createSchema(
  classes: readonly ResolverClass[],
  instances: readonly object[] = [],
): Promise<GraphQLSchema> {
  const byClass = new Map(instances.map((instance) => [instance.constructor, instance]));
  const [first, ...rest] = classes;
  if (!first) throw new Error('a schema needs resolvers');
  return buildSchema({
    resolvers: [first, ...rest],
    container: {
      get: (wanted: ResolverClass) => {
        const instance = byClass.get(wanted);
        if (!instance) throw new Error(`no instance of ${wanted.name}`);
        return instance;
      },
    },
    // Input is checked by the services, once for both skins.
    validate: false,
    pubSub: noTopics,
  });
}

/** TypeGraphQL wants one; every subscription of ours opens its own source (`live-sources.ts`). */
const noTopics: PubSub = {
  publish: refuseTopic,
  subscribe: refuseTopic,
};

function refuseTopic(topic: string): never {
  throw new Error(`no topic ${topic}`);
}
