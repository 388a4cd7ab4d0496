import { addTypenameToDocument } from '@apollo/client/utilities';
import { Kind, parse, print } from 'graphql';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const files = {
  logs: ['Logs', 'MyLogs', 'LogStat', 'MyLogStat', 'LogGroups', 'LogMyGroups'],
  channels: ['Channels', 'ChannelTypes', 'ChannelChoices'],
};

/** The texts of the queries that `src/early` asks, as the GraphQL client would write them. */
export const earlyQueries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(files).flatMap(([name, operations]) => {
    const file = join(import.meta.dirname, `src/screens/${name}/${name}.graphql`);
    const { definitions } = parse(readFileSync(file, 'utf8'));
    return operations.map((operation) => {
      const asked = definitions.filter(
        (one) => one.kind === Kind.OPERATION_DEFINITION && one.name?.value === operation,
      );
      const text = print(asked[0] ?? fail(operation));
      const fragments = definitions.filter(
        (one) => one.kind === Kind.FRAGMENT_DEFINITION && text.includes(`...${one.name.value}\n`),
      );
      return [operation, print(addTypenameToDocument({ kind: Kind.DOCUMENT, definitions: [...asked, ...fragments] }))];
    });
  }),
);

function fail(operation: string): never {
  throw new Error(`no query ${operation}`);
}
